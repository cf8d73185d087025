package ab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"ringpeak/go/result"
)

// Limits of commands.
const (
	switchLimit = time.Minute
	undoLimit   = time.Minute
)

// Shell is the Switcher that runs a person's commands. Undo is in the hands of
// a process of its own from before the first Command on. It waits for the end
// of this one, whether that is Restore, a signal that nobody can catch, or a
// crash; so there is one way for what was changed to be put back.
type Shell struct {
	Command, Undo string
	Stderr        *os.File // of Undo
	Group         *Group   // knows the Command that goes on; nil if nobody needs to

	guardian *exec.Cmd
	leash    *os.File // closed by Restore or by the kernel
}

var _ Switcher = (*Shell)(nil)

// To implements Switcher.
func (s *Shell) To(arm string, pair int, stop <-chan string) error {
	if s.guardian == nil {
		if err := s.guard(); err != nil {
			return result.Errorf(result.StatusSetup, "prepare --undo: %w", err)
		}
	}
	var out said
	cmd := exec.Command("/bin/sh", "-c", s.Command)
	cmd.Env = append(os.Environ(), "RINGPEAK_ARM="+arm, "RINGPEAK_PAIR="+strconv.Itoa(pair))
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // for what it leaves behind with its output
	// It must not outlive this process, after which everything is put back.
	// PR_SET_PDEATHSIG speaks of the thread that started it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return result.Errorf(result.StatusSetup, "--switch for arm %s: %w", arm, err)
	}
	s.Group.began(cmd.Process.Pid)
	defer s.Group.ended()
	s.goesOn(cmd.Process.Pid)
	stopped, err := wait(cmd, switchLimit, stop)
	s.goesOn(0)
	switch {
	case stopped:
		return ErrStopped
	case err != nil:
		return result.Because(err, result.StatusSetup, "--switch for arm %s failed: %s%s: try it by hand, with RINGPEAK_ARM=%s", arm, err, lastLine(out.String()), arm)
	}
	return nil
}

// goesOn tells the guardian which process group is that of a Command that goes
// on; 0 is none. Should the guardian be gone, Restore will say so.
func (s *Shell) goesOn(group int) {
	line := "\n"
	if group != 0 {
		line = strconv.Itoa(group) + line
	}
	_, _ = s.leash.WriteString(line)
}

// guardian reads the process group of the Command that goes on, an empty line
// when there is none, until the leash ends. What goes on then would change what
// Undo puts back.
const guardian = `ringpeak_group=
while read -r ringpeak_line; do ringpeak_group=$ringpeak_line; done
[ -z "$ringpeak_group" ] || kill -s KILL -- "-$ringpeak_group" 2>/dev/null
eval "$RINGPEAK_UNDO"`

// guard starts the process that will undo. Signals to this one's group or
// terminal do not reach it.
func (s *Shell) guard() error {
	in, leash, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	cmd := exec.Command("/bin/sh", "-c", guardian)
	cmd.Env = append(os.Environ(), "RINGPEAK_UNDO="+s.Undo)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, s.Stderr, s.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		leash.Close()
		return err
	}
	s.guardian, s.leash = cmd, leash
	return nil
}

// Restore implements Switcher.
func (s *Shell) Restore() error {
	if s.guardian == nil {
		return nil
	}
	s.leash.Close()
	_, err := wait(s.guardian, undoLimit, nil)
	s.guardian = nil
	if err != nil {
		return result.Because(err, result.StatusSetup, "--undo failed: %s: the system may be left changed, so look after it yourself: %s", err, s.Undo)
	}
	return nil
}

// wait waits for the end of a command, and kills its group at the limit, or
// when stop comes. What it leaves in the background stays there.
func wait(cmd *exec.Cmd, limit time.Duration, stop <-chan string) (stopped bool, err error) {
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		return false, err
	case <-stop:
		killGroup(cmd)
		return true, <-ended
	case <-time.After(limit):
	}
	select {
	case err := <-ended: // it is this process that was stopped meanwhile
		return false, err
	default:
	}
	killGroup(cmd)
	<-ended
	return false, fmt.Errorf("it did not end within %s and was killed", limit)
}
