#!/bin/bash
function promote-db { :; }
if grep -q "promote-db" file; then :; fi
MESSAGE="run gitlab-ctl promote-db"
: "gitlab-ctl promote-db"
read -p "gitlab-ctl promote-db? " a
