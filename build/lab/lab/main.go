// Command lab boots Debian kernels in a QEMU that needs neither KVM nor privileges, with the devices that ringpeak
// is about, and runs commands there: the lab's own suite, a test binary, or a shell. A run passes only if every
// command passed, the guest's kernel had nothing to complain about, and the guest powered off by itself.
//
// It keeps to build/out/lab: kernels, the guest's disks for as long as it runs, and the last kernel log of each
// kernel. It imports the other packages below build/lab.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

const usage = `usage: lab run   [--kernel V] [--bin FILE] [--package PATTERN[=REGEXP]]... [--test FILE]... [--allow REGEXP]... [--verbose]
       lab run   [--kernel V] --self-check
       lab exec  [--kernel V] [--timeout D] [--allow REGEXP]... [--file PATH]... [--env K=V]... -- BINARY [ARG...]
       lab shell [--kernel V] [--bin FILE] [--file PATH]...
       lab table [--kernel V] --bin FILE
       lab cost  [--kernel V] --bin FILE --bare FILE --loop FILE [--kept FILE [--update]] [--peer FILE]
V is 5.10, 6.1, 6.12 or 7. exec serves as: go test -count=1 -exec "$PWD/build/out/lab/lab exec --kernel 6.12 --" ./go/...
`

// Kernels are what kernel.sh can get, oldest first.
var kernels = []string{"5.10", "6.1", "6.12", "7"}

func main() {
	// QEMU is told to die with the thread that started it, so that thread must live as long as the program.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	status, err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "lab:", err)
	}
	os.Exit(status)
}

// options are those of all subcommands; each takes the ones that its usage names.
type options struct {
	kernel    string
	bin       string
	timeout   time.Duration
	allow     list
	files     list
	env       list
	packages  list
	programs  list
	selfCheck bool
	verbose   bool
	bare      string
	loop      string
	peer      string
	kept      string
	update    bool
	args      []string
}

type list []string

func (l *list) String() string     { return fmt.Sprint([]string(*l)) }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// command returns the exit status; with an error it is what the error means: 2 usage, 4 the lab could not run.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 2, nil
	}
	sub := map[string]func(context.Context, *lab, options) (int, error){"run": runSuite, "exec": execBinary, "shell": runShell, "cost": runCost, "table": runTable}[args[0]]
	if sub == nil {
		fmt.Fprint(stderr, usage)
		return 2, fmt.Errorf("no such command: %s", args[0])
	}
	o, err := parse(args[0], args[1:], stderr)
	if err != nil {
		return 2, err
	}
	var allowed []*regexp.Regexp
	for _, a := range o.allow {
		re, err := regexp.Compile(a)
		if err != nil {
			return 2, fmt.Errorf("--allow: %w", err)
		}
		allowed = append(allowed, re)
	}
	l, err := newLab(ctx, o.kernel, allowed, stdout, stderr)
	if err != nil {
		return 4, err
	}
	defer l.close()
	status, err := sub(ctx, l, o)
	if err != nil && status == 0 {
		status = 4
	}
	return status, err
}

func parse(sub string, args []string, stderr io.Writer) (options, error) {
	o := options{}
	fs := flag.NewFlagSet("lab "+sub, flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() { fmt.Fprint(stderr, usage) }
	kernel := os.Getenv("KERNEL")
	if kernel == "" {
		kernel = "6.12"
	}
	fs.StringVar(&o.kernel, "kernel", kernel, "")
	if sub != "exec" {
		fs.StringVar(&o.bin, "bin", "", "")
	}
	if sub == "run" {
		fs.Var(&o.packages, "package", "")
		fs.Var(&o.programs, "test", "")
		fs.BoolVar(&o.verbose, "verbose", os.Getenv("V") == "1", "")
		fs.BoolVar(&o.selfCheck, "self-check", false, "")
	}
	if sub == "exec" {
		fs.DurationVar(&o.timeout, "timeout", 5*time.Minute, "")
		fs.Var(&o.env, "env", "")
	}
	if sub == "cost" {
		fs.StringVar(&o.bare, "bare", "", "")
		fs.StringVar(&o.loop, "loop", "", "")
		fs.StringVar(&o.peer, "peer", "", "")
		fs.StringVar(&o.kept, "kept", "", "")
		fs.BoolVar(&o.update, "update", false, "")
	}
	if sub == "exec" || sub == "shell" {
		fs.Var(&o.files, "file", "")
	}
	if sub != "shell" {
		fs.Var(&o.allow, "allow", "")
	}
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	o.args = fs.Args()
	switch {
	case sub == "exec" && len(o.args) == 0:
		return o, errors.New("exec needs a binary")
	case sub != "exec" && len(o.args) > 0:
		return o, fmt.Errorf("%s takes no arguments: %s", sub, o.args[0])
	}
	return o, nil
}
