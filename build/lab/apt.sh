# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# Shell functions to fetch Debian packages with apt and leave the system's apt alone. Sourced, not run.
# The caller sets $apt_dir (a private folder, emptied) and $log.
: "${apt_dir:?}" "${log:?}"

# The base addresses that this machine's own configuration uses, so that mirrors and proxies are
# respected and none is written here. $1 = archive | security. Other vendors' repositories show up in
# the same list; Origin tells them apart.
apt_sites() {
	{
		apt-get indextargets --format '$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(SITE)' |
			awk -F'|' -v want="$1" '
				$1 == "Debian" && $2 == "main" { kind = ($3 ~ /-security$/) ? "security" : "archive"; if (kind == want) print $4 }'
		# A machine that never ran `apt-get update` has no Origin to look at: go by the name.
		case $1 in
		archive) apt-get --print-uris update | sed -n "s|^'\(.*/debian\)/*/dists/.*|\1|p" ;;
		security) apt-get --print-uris update | sed -n "s|^'\(.*/debian-security\)/*/dists/.*|\1|p" ;;
		esac
	} 2>>"$log" | awk '!seen[$0]++'
}

# apt with its state below $apt_dir only: the system's lists, cache, locks and list of installed
# packages are neither used nor touched, and no root is needed.
apt_get() { apt-get -c "$apt_dir/apt.conf" "$@"; }
apt_cache() { apt-cache -c "$apt_dir/apt.conf" "$@"; }

# The hooks are cleared because they would act on the system's cache. The machine's proxy settings
# stay in force. The sandbox user could not write below build/out.
apt_prepare() {
	rm -rf "$apt_dir"
	mkdir -p "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial" "$apt_dir/parts" "$apt_dir/get"
	: >"$apt_dir/status"
	cat >"$apt_dir/apt.conf" <<-CONF
		Dir::Etc::sourcelist "$apt_dir/sources.list";
		Dir::Etc::sourceparts "$apt_dir/parts";
		Dir::State::Lists "$apt_dir/lists";
		Dir::State::status "$apt_dir/status";
		Dir::Cache "$apt_dir/cache";
		APT::Architecture "amd64";
		APT::Sandbox::User "root";
		Acquire::Retries "2";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	CONF
	: >"$apt_dir/sources.list"
}

# $1 = site, $2 = suite, $3 = further options. Only the package index is asked for, and only Debian's
# own keys are accepted where the machine keeps them apart from other vendors'.
apt_source() {
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$keyring" ] && signed="signed-by=$keyring" || signed=
	echo "deb [ target=Packages $signed ${3:-} ] $1 $2 main" >>"$apt_dir/sources.list"
}

# A failed signature must fail the update; by default apt only warns and keeps what it had.
apt_update() {
	apt_get -q -o APT::Update::Error-Mode=any update
}
