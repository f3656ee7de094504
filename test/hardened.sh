# hardened FILE WHAT: checks, with readelf, that a library was linked and
# compiled with the usual hardening. Needs lib.sh.
hardened() {
  readelf -W -l "$1" >segments && readelf -W -d "$1" >dynamic &&
    readelf -W --dyn-syms "$1" >symbols || exit 2
  grep -q GNU_RELRO segments
  check $? "$2: relocations are read-only once they are done"
  grep -q -E 'BIND_NOW|FLAGS.*NOW' dynamic
  check $? "$2: and done when the library is loaded"
  grep -E 'GNU_STACK' segments | grep -q 'RW ' && ! grep -E 'LOAD' segments | grep -q 'RWE'
  check $? "$2: neither the stack nor what can be written is executable"
  grep -q '__stack_chk_fail' symbols
  check $? "$2: functions guard their return addresses"
  grep -q -E '__(memcpy|memset|memmove|strcpy|snprintf|read|pread64|readlink|getcwd)_chk' symbols
  check $? "$2: calls of the C library are bounded where their bounds are known"
}
