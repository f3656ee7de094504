#!/bin/sh
# Runs the set of experiments and makes a report of them, for `make report`.
#
#   bench/report.sh WALBENCH SIZE DIR [OPTION...]
#
# SIZE is quick, which takes minutes, or full, whose sizes are the published ones but for
# E3 and the first test of E6. OPTIONs go to every command that measures, such as --lib.
# Results are kept in DIR/results, one file a run; a run whose file is there already is
# not made again, so that an interrupted set can be gone on with. The report, DIR/report,
# must not exist. Exit status: 0 done, 1 a bound or a comparison failed, 2 unusable.
set -u
if [ $# -lt 3 ]; then
    echo "usage: report.sh WALBENCH quick|full DIR [OPTION...]" >&2
    exit 2
fi
walbench=$1
size=$2
dir=$3
shift 3
case $size in quick | full) ;; *)
    echo "report.sh: size '$size' is neither quick nor full" >&2
    exit 2
    ;;
esac
if [ -e "$dir/report" ]; then
    echo "report.sh: '$dir/report' exists already" >&2
    exit 2
fi
mkdir -p "$dir/results" || exit 2
bounds=0

# run NAME COMMAND [OPTION...]
run() {
    name=$1
    command=$2
    shift 2
    if [ -e "$dir/results/$name.json" ]; then
        echo "$name: its results are there already, and kept"
        return
    fi
    echo "walbench $command $*"
    "$walbench" "$command" --check --json "$dir/results/$name.json" "$@" \
        >"$dir/results/$name.txt"
    status=$?
    # A bound that fails leaves results, which the report shows; anything else does not.
    [ $status -eq 0 ] && return
    bounds=1
    [ -e "$dir/results/$name.json" ] || exit $status
}

case $size in
quick)
    run delete delete "$@"
    run rolling rolling --rows 100000 --commits 200 "$@"
    run workloads workloads "$@"
    run savepoint savepoint --trials 6 "$@"
    run leak leak "$@"
    run throughput-a throughput --preset a --inserts 200 --updates 100 --trials 6 "$@"
    run throughput-b throughput --preset b --inserts 1000 --updates 500 --trials 6 "$@"
    run checkpoint checkpoint --modes passive,truncate --trials 6 "$@"
    run trace trace --trials 6 --transactions 50 --transactions-off 500 "$@"
    run contention contention --seconds 1 --runs 6 "$@"
    run scan scan --rows 100000 --rounds 6 "$@"
    run scan-no-index scan --no-index --rows 100000 --rounds 6 "$@"
    ;;
full)
    run delete delete "$@"
    run rolling rolling "$@"
    run rolling-index rolling --rows 200000 --commits 400 --modes none,full --index yes "$@"
    run workloads workloads "$@"
    run savepoint savepoint --full "$@"
    run leak leak "$@"
    run throughput-a throughput --preset a "$@"
    run throughput-b throughput --preset b "$@"
    run throughput-e6 throughput --preset e6 --inserts 2000 --trials 6 "$@"
    run throughput-matrix throughput --preset matrix --inserts 50 --updates 50 --trials 6 "$@"
    run checkpoint checkpoint "$@"
    run trace trace "$@"
    run contention contention --runs 6 "$@"
    run contention-many contention --writers 2 --readers 8 --runs 6 "$@"
    run scan scan --rows 400000 "$@"
    run scan-no-index scan --no-index --rows 400000 "$@"
    ;;
esac

set --
for file in "$dir"/results/*.json; do set -- "$@" --results "$file"; done
"$walbench" report --out "$dir/report" "$@" || exit
echo "report: $dir/report/report.html and report.md"
exit $bounds
