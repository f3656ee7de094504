#!/bin/sh
# What configure makes of --with-features, --secure-delete and hardening, by what
# it prints and by the flags that it hands to the build. Builds nothing, and
# needs no network: the "distribution" is a tree that is made up here.
#
#   test/features.sh SQLITE_SRC
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/lib.sh"
sqlite_src=$(cd "$1" && pwd)
make_scratch
cd "$scratch" || exit 2
unset CFLAGS CPPFLAGS LDFLAGS DEB_BUILD_OPTIONS DEB_BUILD_MAINT_OPTIONS

# A source package, as far as configure looks at it.
mkdir -p tree/src tree/test tree/debian && cp "$sqlite_src/VERSION" tree/ &&
  touch tree/src/pager.c tree/test/tester.tcl tree/auto.def || exit 2
cat >tree/debian/changelog <<'END'
sqlite3 (3.0-1) unstable; urgency=medium
END
cat >tree/debian/rules <<'END'
#!/usr/bin/make -f
export DEB_BUILD_MAINT_OPTIONS = hardening=+all
ifneq ($(ORIGIN),elsewhere)
  confflags += --enable-fts4
endif
export CFLAGS += -O3 -fno-strict-aliasing \
	-DSQLITE_SECURE_DELETE -DSQLITE_SOUNDEX=1 \
	-DSQLITE_MAX_VARIABLE_NUMBER=250000 -DOTHER
configure-stamp:
	touch executed
	./configure --prefix=/usr --mandir="/usr/share/man" $(confflags) \
	  --disable-amalgamation --libdir=\$${prefix}/lib \
	  `echo --enable-debug`
	touch $@
END

# configured ARGUMENT...: what it prints is in out, what it hands on in flags.
configured() {
  rm -rf at && mkdir at && (cd at && "$top/configure" "$@") >out 2>err || {
    sed 's/^/# /' err
    return 1
  }
  sed -n 's/^libraries: //p' at/build/settings | tr -s ' ' '\n' >flags
}
has() { grep -q -x -e "$1" flags; }
says() { tr '\n' ' ' <out | tr -s ' ' | grep -q -F -e "$1"; }

configured --with-sqlite="$sqlite_src" && says "upstream's defaults" &&
  says 'secure_delete: off' && ! grep -q -e '-DSQLITE' flags
check $? "by default upstream's features"
! grep -q -e stack-protector -e FORTIFY flags
check $? "and no hardening"

if command -v dpkg-buildflags >/dev/null 2>&1; then
  configured --with-sqlite="$scratch/tree" --with-features=distro &&
    says 'those of sqlite3 3.0-1' && has -DSQLITE_SOUNDEX=1 &&
    has -DSQLITE_MAX_VARIABLE_NUMBER=250000 && has --enable-fts4 &&
    has --disable-amalgamation
  check $? "the features are those of the distribution's rules"
  ! has -O3 && ! has -DOTHER && ! has -fno-strict-aliasing && ! has --enable-debug &&
    ! grep -q -e prefix=/usr -e mandir flags
  check $? "and nothing else is taken from them"
  [ ! -e tree/executed ] && [ ! -e executed ] && [ ! -e tree/debian/executed ]
  check $? "the rules are asked, and not carried out"
  has -fstack-protector-strong && has -Wl,-z,relro && has -Wl,-z,now &&
    says '-fstack-protector-strong'
  check $? "the distribution's hardening goes with them, and is told"
  has -DSQLITE_SECURE_DELETE && ! has -DSQLITE_FAST_SECURE_DELETE &&
    says 'secure_delete: on by default, as the features have it'
  check $? "secure_delete stays on"
  says '533 frames' && says 'logs 8' && says '--secure-delete=fast' &&
    says 'PRAGMA secure_delete=FAST' && says '2,453' && says '1,295'
  check $? "and configure tells what that costs, what to do, and what FAST leaves"
  configured --with-sqlite="$scratch/tree" --with-features=distro --secure-delete=fast \
    --disable-hardening &&
    has -DSQLITE_FAST_SECURE_DELETE && ! has -DSQLITE_SECURE_DELETE &&
    says 'secure_delete: fast by default, as asked; the features have it on' && says '2,453'
  check $? "--secure-delete=fast, and what it leaves behind"
  ! grep -q -e stack-protector flags && has -DSQLITE_SOUNDEX=1
  check $? "--disable-hardening"
  configured --with-sqlite="$scratch/tree" --with-features=distro --secure-delete=off &&
    ! grep -q SECURE_DELETE flags && says 'as asked; the features have it on' && says '2,464'
  check $? "--secure-delete=off, and what it leaves behind"
  configured --with-sqlite="$sqlite_src" --enable-hardening && has -Wl,-z,now &&
    ! grep -q -e '-DSQLITE' flags
  check $? "hardening alone"
else
  check 0 "# SKIP the distribution's features: dpkg-buildflags is not there"
fi

cat >features <<'END'
# of ours
-DSQLITE_ENABLE_GEOPOLY --enable-fts5 # and more
-DSQLITE_SECURE_DELETE
END
configured --with-sqlite="$sqlite_src" --with-features="$scratch/features" &&
  has -DSQLITE_ENABLE_GEOPOLY && has --enable-fts5 && has -DSQLITE_SECURE_DELETE &&
  says '533 frames' && ! has more
check $? "features from a file"
configured --with-sqlite="$sqlite_src" --secure-delete=on && has -DSQLITE_SECURE_DELETE &&
  says 'on by default, as asked; the features have it off'
check $? "--secure-delete=on"
finish
