# SPDX-License-Identifier: GPL-2.0-or-later
# Packages, and a release: RELEASE of the top-level Makefile, which a test compares with debian/changelog. Before its
# tag exists they have the version of contrib/version; Alpine's abuild takes only releases.
.PHONY: dist deb

# The current commit, always as the same bytes, and the recipes with its version and its checksums.
# SIGN=KEY signs the list of all checksums.
DIST ?= $(O)/dist
TARBALL = xdptop-$(VERSION).tar
RECIPES := $(patsubst contrib/packaging/%.in,%,$(wildcard contrib/packaging/*.in))
sum = $$($(1) <$(DIST)/$(TARBALL).gz | cut -d ' ' -f 1)
dist: ## pack a release: tarball, recipes of packages, checksums; SIGN=KEY signs them
	@git diff --quiet HEAD || { echo 'xdptop: make dist packs the commit HEAD: commit the changes first' >&2; exit 1; }
	@rm -rf $(DIST) && mkdir -p $(DIST)
	@git -c tar.umask=0022 archive --prefix=$(TARBALL:.tar=)/ \
		--add-virtual-file='$(TARBALL:.tar=)/.tarball-version:$(VERSION)' -o $(abspath $(DIST))/$(TARBALL) HEAD
	@gzip -9n $(DIST)/$(TARBALL)
	@date=$$(LC_ALL=C date -u -d "@$$(git log -1 --format=%ct)" '+%a %b %d %Y'); for f in $(RECIPES); do \
		sed -e "s/@VERSION@/$(VERSION)/" -e "s/@DATE@/$$date/" -e "s/@SHA256@/$(call sum,sha256sum)/" \
			-e "s/@SHA512@/$(call sum,sha512sum)/" contrib/packaging/$$f.in >$(DIST)/$$f; done
	@cd $(DIST) && sha256sum * >SHA256SUMS
	@$(if $(SIGN),gpg --quiet --local-user '$(SIGN)' --armor --detach-sign $(DIST)/SHA256SUMS)
	@ls $(DIST)/*

# A binary package in $(DEB), built from a copy of the files in git or, in a tarball, of all sources.
DEB ?= $(O)/deb
deb: ## build a Debian package
	@contrib/deps --install build deb
	@rm -rf $(DEB) && mkdir -p $(DEB)/xdptop-$(VERSION)
	@{ git ls-files -co --exclude-standard 2>/dev/null || find . -path ./$(O) -prune -o -type f -print; } | \
		tar -c -T - | tar -x -C $(DEB)/xdptop-$(VERSION)
	@cd $(DEB)/xdptop-$(VERSION) && echo '$(VERSION)' >.tarball-version && \
		sed -i '1s/(.*)/($(VERSION))/' debian/changelog
	@cd $(DEB)/xdptop-$(VERSION) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		dpkg-buildpackage $(JOBS) -us -uc -b >../log 2>&1 || { tail -n 40 ../log >&2; exit 1; }
	@ls $(DEB)/xdptop_*.deb
