# SPDX-License-Identifier: GPL-2.0-or-later
# Packages.
.PHONY: deb

# A binary package in $(DEB), from a copy of what git knows or, in a tarball, of all sources.
DEB ?= $(O)/deb
deb: ## build a Debian package
	@contrib/deps --install build deb
	@rm -rf $(DEB) && mkdir -p $(DEB)/xdptop-$(VERSION)
	@{ git ls-files -co --exclude-standard 2>/dev/null || find . -path ./$(O) -prune -o -type f -print; } | \
		tar -c -T - | tar -x -C $(DEB)/xdptop-$(VERSION)
	@cd $(DEB)/xdptop-$(VERSION) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		dpkg-buildpackage $(JOBS) -us -uc -b >../log 2>&1 || { tail -n 40 ../log >&2; exit 1; }
	@ls $(DEB)/xdptop_*.deb
