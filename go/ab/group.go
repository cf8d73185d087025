package ab

import (
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// leftover is how long, after the end of a process, others may keep its
// descriptors.
const leftover = time.Second

// Group is the process group of the command that goes on, a slice's or a
// switch's, for who has to leave at once. Its zero value is ready, and of nil
// there is none.
type Group struct {
	mu     sync.Mutex
	pid    int // 0 is none
	closed bool
}

// Kill kills it, and whatever would come after it.
func (g *Group) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.kill()
}

func (g *Group) kill() {
	if g.pid != 0 {
		_ = syscall.Kill(-g.pid, syscall.SIGKILL) // gone already is as good
	}
}

func (g *Group) began(pid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pid = pid
	if g.closed {
		g.kill()
	}
}

func (g *Group) ended() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pid = 0
}

// killGroup kills a command with all its children.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // gone already is as good
}

// leaving is the error of a command that has ended. What it has left behind
// with its output is killed, and no error.
func leaving(cmd *exec.Cmd, err error) error {
	if errors.Is(err, exec.ErrWaitDelay) {
		killGroup(cmd)
		return nil
	}
	return err
}
