package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// parts are the members of a document that say what was measured, and where.
var parts = []string{"tool", "system", "spec", "targets", "clock", "granted"}

// ignored are fields that differ from run to run without meaning anything,
// follow from others, or do not touch what is measured. Elements of lists are
// numbers; a * stands for one.
var ignored = map[string]bool{
	"system.memory_available_bytes":                  true,
	"system.environment.frequency.*.current_min_khz": true,
	"system.environment.frequency.*.current_max_khz": true,
	"system.environment.numa_nodes.*.memory_bytes":   true,
	"system.environment.cgroups":                     true, // see limits
	"spec.seed":                                      true,
	"spec.repeat":                                    true,
	"spec.assertions":                                true,
	"spec.strict":                                    true,
	"spec.max_errors":                                true,
	"spec.ceiling":                                   true,
	"spec.follow":                                    true,
	"targets.*.renamed":                              true,
	"targets.*.path":                                 true, // spec.targets
	"targets.*.blocks":                               true, // of its size
	"targets.*.device":                               true, // numbers that the kernel deals out anew
	"targets.*.poll_map":                             true, // poll_queues
	"targets.*.irq_owners":                           true,
	"clock.tsc_hz":                                   true,
	"clock.read_ns":                                  true,
	"clock.deviation_percent":                        true,
	"granted.features":                               true, // of the kernel
	"granted.sq_entries":                             true, // of the depth
	"granted.cq_entries":                             true,
	"granted.buffer_bytes":                           true,
}

// absent are fields that are left out of documents when there is none, as
// opposed to those that nobody knows.
var absent = []string{"spec.cpus", "spec.huge_file", "granted.dropped_flags"}

// flatten makes a map from path to value of what can be compared: what is not
// known is not in it.
func flatten(text []byte) (map[string]string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	doc := map[string]any{} // those that are looked at: intervals can be many
	for _, part := range append([]string{"placements"}, parts...) {
		if members[part] == nil {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(members[part]))
		dec.UseNumber() // large ones as they are written
		var v any
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		doc[part] = v
	}
	f := fields{}
	for _, part := range parts {
		f.add(part, doc[part])
	}
	f.placements(doc["placements"])
	f.limits(doc["system"])
	for _, path := range absent {
		if _, known := f[path]; !known && doc[strings.SplitN(path, ".", 2)[0]] != nil {
			f[path] = "none"
		}
	}
	return f, nil
}

type fields map[string]string

func (f fields) add(path string, v any) {
	if ignored[starred(path)] {
		return
	}
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for key, child := range v {
			f.add(path+"."+key, child)
		}
	case []any:
		if words, flat := scalars(v); flat && path != "targets" { // no-ops have none
			f[path] = strings.Join(words, " ")
			if len(words) == 0 {
				f[path] = "none"
			}
			return
		}
		for i, child := range v {
			f.add(path+"."+strconv.Itoa(i), child)
		}
	case string:
		if v == "" && strings.HasPrefix(path, "spec.") {
			v = "auto"
		}
		if v != "" {
			f[path] = v
		}
	default:
		f[path] = fmt.Sprint(v)
	}
}

// scalars are the elements of a list that has no objects or lists.
func scalars(list []any) (words []string, flat bool) {
	for _, v := range list {
		switch v.(type) {
		case map[string]any, []any:
			return nil, false
		}
		words = append(words, fmt.Sprint(v))
	}
	return words, true
}

// placements are where the submitters ran, in their order.
func (f fields) placements(v any) {
	list, _ := v.([]any)
	for _, key := range []string{"cpu", "numa_node"} {
		var words []string
		for _, p := range list {
			if p, ok := p.(map[string]any); ok && p[key] != nil {
				words = append(words, fmt.Sprint(p[key]))
			}
		}
		if len(words) > 0 {
			f["placements.*."+key] = strings.Join(words, " ")
		}
	}
}

// limits are those of control groups; their names are of no account.
func (f fields) limits(v any) {
	system, _ := v.(map[string]any)
	env, _ := system["environment"].(map[string]any)
	groups, known := env["cgroups"].([]any)
	if !known {
		return
	}
	var found []string
	for _, g := range groups {
		group, _ := g.(map[string]any)
		list, _ := group["limits"].([]any)
		for _, l := range list {
			if l, ok := l.(map[string]any); ok {
				found = append(found, fmt.Sprintf("%v=%v", l["name"], l["value"]))
			}
		}
	}
	sort.Strings(found)
	f["system.environment.cgroups.*.limits"] = "none"
	if len(found) > 0 {
		f["system.environment.cgroups.*.limits"] = strings.Join(found, ", ")
	}
}

// starred is a path with a * for each number of an element.
func starred(path string) string {
	words := strings.Split(path, ".")
	for i, w := range words {
		if w != "" && strings.Trim(w, "0123456789") == "" {
			words[i] = "*"
		}
	}
	return strings.Join(words, ".")
}
