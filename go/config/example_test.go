package config_test

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"ringpeak/go/config"
)

// run shows how a command uses the package.
func run(args []string, stdout, stderr io.Writer) error {
	argv, err := config.Options().Normalise(args)
	if err != nil {
		return err
	}
	app := &cli.App{
		Name:                  "ringpeak",
		Version:               "0.0.0",
		Flags:                 config.Options().Flags(),
		CustomAppHelpTemplate: config.Help(),
		HideHelpCommand:       true,
		Writer:                stdout,
		ErrWriter:             stderr,
		ExitErrHandler:        func(*cli.Context, error) {}, // nothing below main exits
		OnUsageError:          func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(c *cli.Context) error {
			req, err := config.FromContext(c, config.NewSeed)
			if err != nil {
				return err
			}
			for _, n := range req.Notes {
				fmt.Fprintln(stdout, "note:", n.Text)
			}
			s := req.Spec
			fmt.Fprintf(stdout, "depth %d, batch %d/%d, %d-byte reads, %d submitter(s): %v\n",
				s.Depth, s.SubmitBatch, s.CompleteBatch, s.BlockSize, s.Threads, s.Targets)
			return nil
		},
	}
	return app.Run(append([]string{"ringpeak"}, argv...))
}

func Example() {
	for _, args := range [][]string{
		{"-b512", "-d128", "-s32", "-c32", "-p1", "-F1", "-B1", "-D1", "-n2", "/dev/nvme1n1", "/dev/nvme2n1"},
		{"/dev/nvme0n1", "--depth=16", "-b", "4k"},
		{"--version"},
		{"/dev/nvme0n1", "--polled", "0"},
		{"/dev/nvme0n1", "--dept=16"},
	} {
		if err := run(args, os.Stdout, os.Stderr); err != nil {
			fmt.Println("ringpeak:", err)
		}
	}
	// Output:
	// note: -D1 has no effect: no kernel has an interface to map buffers for DMA beforehand
	// depth 128, batch 32/32, 512-byte reads, 2 submitter(s): [/dev/nvme1n1 /dev/nvme2n1]
	// depth 16, batch 16/16, 4096-byte reads, 1 submitter(s): [/dev/nvme0n1]
	// ringpeak version 0.0.0
	// ringpeak: --polled takes its value attached: write --polled=0 (a target of that name is ./0)
	// ringpeak: there is no option --dept: did you mean --depth?
}
