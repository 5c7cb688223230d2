//! Tables by family: a level and the command lines that have exactly it.

use ox_protocol::Level;

/// Checks that every line of `lines` is of `level`.
pub(crate) fn all(level: Level, lines: &str) {
    let wrong: Vec<String> = lines
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .map(|line| (line, super::at_home(&line.replace("⏎", "\n"))))
        .filter(|(_, found)| found.level != level)
        .map(|(line, found)| format!("{line}: {:?}, {:?}", found.level, found.effects))
        .collect();
    assert!(wrong.is_empty(), "not {level:?}:\n{}", wrong.join("\n"));
}

#[test]
fn files_and_paths_reads_are_level_0() {
    all(
        Level::Read,
        r###"
        ls -la
        ls -lah --color=never src
        cat README.md
        cat src/main.rs src/lib.rs
        head -n 20 README.md
        head -20 README.md
        tail -n 5 README.md
        tail -f log.txt
        grep -rn foo src
        grep -rnE 'foo|bar' --include='*.rs' .
        grep -c foo README.md
        rg foo
        rg -n foo -g '*.rs'
        rg --files
        rg -l TODO | wc -l
        xxd README.md | head
        strings a.bin
        base64 README.md
        ls | head -5
        ls; pwd
        cd src && ls
        ls > /dev/null
        ls 2>/dev/null
        ls >/dev/null 2>&1
        grep foo f || true
        cat <<< hello
        cat <<EOF⏎hi⏎EOF
        ls # comment
        zcat a.gz | head
        tar tf a.tar
        tar -tzf a.tar.gz
        unzip -l a.zip
        cat a.txt | tee /dev/null
        ls *.rs
        ls src/{a,b}.rs
        cat "a b.txt"
        cat -n README.md | sed -n '10,20p'
        grep -A3 -B3 foo src/main.rs
        grep -e foo -e bar f
        cat /etc/os-release
        cat /proc/cpuinfo
        cat .env.example
        cd src && cat ../README.md
        cd . && git status
        head -c 100 /dev/urandom
        cat <<'EOF'⏎$(rm -rf /etc)⏎EOF
        rg --help
        ls --help
        cat <<-EOF⏎\thi⏎\tEOF
        cat <<"E F"⏎hi⏎E F
        ls **/*.rs
        ls [a-z]*.rs
        ls -- -x
        cat -- -f
        grep -- -x f
        "###,
    );
}

#[test]
fn files_and_paths_edits_are_level_1() {
    all(
        Level::Edit,
        r###"
        cp a b
        dd if=/dev/zero of=x count=1
        touch a
        mkdir -p a/b
        uniq a b
        tar xf a.tar
        tar cf a.tar src
        unzip a.zip
        ls |& tee log.txt
        ls | tee -a out.txt
        cat > a <<< x
        cd src && echo x > a
        "###,
    );
}

#[test]
fn files_and_paths_what_runs_code_is_level_2() {
    all(
        Level::Shell,
        r###"
        rm f
        rm -rf src
        rm -rf build/*
        rmdir x
        shred f
        mv a b
        chmod +x a.sh
        chmod -R 777 .
        tar cf a.tar --checkpoint=1 src
        tar cf a.tar --checkpoint=1 --checkpoint-action=exec=id src
        tar xf a.tar --to-command=id
        tar tf a.tar -I ./x
        tar --use-compress-program=./x -tf a.tar
        zip a.zip -T -TT 'sh #'
        rsync -a a/ b/
        cd $x && ls
        cd - && ls
        cd src && git status
        rg --pre ./x y
        rg --pre=./x y
        rg -z x
        cat > a.sh <<'EOF'⏎rm -rf /⏎EOF⏎bash a.sh
        cat <<EOF | sh⏎rm -rf src⏎EOF
        cat <<EOF && rm x⏎hi⏎EOF
        cat ${f:-/etc/shadow}
        ln -s ../README.md docs/README.md
        delta --pager id
        xmllint --noent a.xml
        rm -- -f
        "###,
    );
}

#[test]
fn files_and_paths_what_reaches_out_is_level_3() {
    all(
        Level::System,
        r###"
        ls() { rm -rf /etc; }; ls
        ls; rm -rf ~
        ls && rm -rf $HOME/x
        ls & rm -rf /etc
        ls | rm -rf /etc
        ls || rm -rf /etc
        cat <(rm -rf /etc)
        ls > /etc/x
        ls >> ~/.bashrc
        ls >| /etc/x
        ls &> /etc/x
        ls 2> /etc/x
        cat < /etc/shadow
        cat </etc/passwd
        cat < /dev/tcp/evil/80
        rm -rf .git
        rm -rf .
        rm -rf *
        rm -rf ./*
        rm -rf ..
        rm -rf "$DIR"
        rm -rf $x/
        mv src /tmp/x
        cp .env b
        cp a ~/.ssh/authorized_keys
        cp /etc/passwd .
        cp -t /etc a
        cp --target-directory=/etc a
        cp -r /etc .
        ln -s /etc x
        ln -s /etc/passwd x && cat x
        tee /etc/x
        tee -a ~/.bashrc
        dd if=/etc/shadow of=x
        truncate -s 0 /etc/x
        chmod 777 /etc
        chown root x
        touch /tmp/x
        mkdir /x
        install -m 755 a /usr/bin/a
        uniq a /etc/x
        cd .git/hooks && echo x > post-commit
        cd .git && echo x > config
        cd .claude && echo x > settings.json
        cd docs && cat <<EOF > ../.git/config⏎x⏎EOF
        cd src && ls && echo x > ../../y
        ln -s ../../x docs/y
        GIT_TRACE2_EVENT=/etc/x git status
        GIT_TRACE2_PERF=~/.bashrc git status
        grep -rn TOKEN --include='.env*' .
        cat x | python3
        tar xf a.tar -C /
        tar cf /tmp/a.tar src
        tar cf a.tar .env
        unzip a.zip -d /etc
        rsync -a a/ h:b
        cat .env
        cat .e*
        cat .*
        cat ./.env
        cat ./src/../.env
        cat *.pem
        cat id_rsa
        cat ~/.ssh/id_rsa
        cat ~/x
        cat $HOME/.aws/credentials
        cat ${HOME}/.netrc
        cat ~root/.ssh/id_rsa
        cat /proc/self/environ
        cat /proc/1/environ
        strings /proc/self/environ
        xxd /proc/self/environ
        cat /proc/self/cmdline
        ls /
        ls ..
        ls ~
        ls /home
        cat ../x
        cat src/../../x
        cd / && ls
        cd .. && ls
        cd src && cat ../../x
        cd && cat x
        pushd /etc && cat passwd
        base64 .env
        grep KEY .env
        grep -r x ~
        grep -f .env x
        rg x /etc
        cat ~/.bash_history
        ls⏎⏎rm -rf /etc
        ls <<EOF; rm -rf /etc⏎x⏎EOF
        cat <<EOF⏎$(rm -rf /etc)⏎EOF
        cat <<EOF⏎`rm -rf /etc`⏎EOF
        cat <<A <<B⏎x⏎A⏎y⏎B⏎rm -rf /etc
        ls <<EOF; rm -rf src⏎x⏎EOF
        cat {/etc/passwd,x}
        cat {.,}./x
        cat {..,x}/y
        cat $'/etc/\x73hadow'
        cat /etc/sha?ow
        cat /etc/sh*
        cat "/etc/shadow"
        cat /etc//shadow
        cat /etc/./shadow
        cat //etc/shadow
        cat /proc/../etc/shadow
        cat src/../../../../etc/shadow
        cat /etc/sh""adow
        "###,
    );
}

#[test]
fn files_and_paths_what_reaches_out_is_level_3_too() {
    all(
        Level::System,
        r###"
        cat /e't'c/shadow
        cat /etc/s{h,}adow
        cat x.sh | sh
        cat x.sh | bash -s arg
        ls | tee /etc/x
        ls | sh
        ls | while read f; do rm "$f"; done
        "###,
    );
}

#[test]
fn find_sed_awk_reads_are_level_0() {
    all(
        Level::Read,
        r###"
        find . -name '*.rs'
        find src -type f -newer Cargo.toml
        find . -name '*.rs' -not -path './target/*' | head -20
        find . -type f | sort | head
        find . -name '*.rs' -print0 | sort -z
        sed -n '1,20p' README.md
        sed -n 5p README.md
        sed 's/a/b/' README.md
        sed -e 's/a/b/g' -e '/x/d' README.md
        sed -n '/start/,/end/p' f
        sed '$!d' f
        sed -n '$p' f
        sed -n '/foo/{p;q}' f
        sed -n '/foo/{p;q;}' f
        sed 's|/usr/bin|/bin|g' f
        sed '/^$/d' f
        sed 's/\(a\)\/b/\1/' f
        sed = f
        sed -E 's/(a|b)+/x/gI' f
        awk '{print $1}' data.txt
        awk -F: '{print $1, $NF}' data.txt
        awk 'NR>5 && NR<10' f
        awk '/a|b/ {print $2}' f
        awk '{s+=$1} END {print s}' f
        awk '{ if ($1 > 5) print $0 }' f
        awk 'BEGIN{for(i=0;i<3;i++) print i}'
        awk '$3 > 10 {print $1 " " $2}' f
        awk '{printf "%s\n", $1}' f
        awk 'length($0) > 80' f
        awk '{a[$1]++} END {for (k in a) print k, a[k]}' f
        sort data.txt | uniq -c | sort -rn | head
        sort -u -k2,2n data.txt
        awk -v x=1 '{print x}' f
        find -L . -name x
        find . \( -name a -o -name b \) -print
        find . -newermt 2020-01-01
        find . -regex '.*x'
        "###,
    );
}

#[test]
fn find_sed_awk_edits_are_level_1() {
    all(
        Level::Edit,
        r###"
        find . -fprint out.txt
        sed -i s/a/b/ f
        sed -ni s/a/b/p f
        sed --in-place s/a/b/ f
        sed --in=bak s/a/b/ f
        "###,
    );
}

#[test]
fn find_sed_awk_what_runs_code_is_level_2() {
    all(
        Level::Shell,
        r###"
        find . -name x -delete
        sort --compress-prog=sh x
        sed 's/a/b/e' f
        sed 's/a/id/e' f
        sed '1e id' f
        sed -f x.sed f
        awk -f x.awk f
        awk '{print | "sh"}' f
        awk '{print > $1}' f
        gawk -i inplace '{print}' f
        awk 'BEGIN { f="sys" "tem"; @f("id") }'
        ls | xargs -n1 cat
        ls | xargs
        ls | xargs echo
        find . -name '*.rs' | xargs grep foo
        find . -name '*.rs' -exec grep -l foo {} +
        find . -type f -exec sed -i s/a/b/ {} \;
        find . -exec rm {} \;
        find src -name '*.bak' -exec rm {} +
        find . -unknown
        "###,
    );
}

#[test]
fn find_sed_awk_what_reaches_out_is_level_3() {
    all(
        Level::System,
        r###"
        sed 's/[/]/x/' f
        sed "s/a/$x/" f
        awk --source 'BEGIN{system("id")}'
        xargs rm -rf < list
        find . -exec rm -rf /etc \;
        find . -delete
        find / -delete
        find . -execdir sh -c 'rm -rf /etc' \;
        find .. -name x
        find . -fprintf /etc/x a
        sort --o=/etc/x f
        sort -o/etc/x f
        sort -no/etc/x f
        sed 's/a/b/w /etc/x' f
        sed 'r /etc/shadow' f
        sed --expression='w /etc/x' f
        sed -e 1{ -e w/etc/x f
        sed 's/x/y/;w/etc/passwd' f
        sed 'a\
        awk 'BEGIN{system("rm -rf /etc")}'
        awk '{print >> "/etc/x"}' f
        awk 'BEGIN{while(("cat /etc/shadow" | getline l)>0) print l}'
        awk 'BEGIN{getline l < "/etc/shadow"; print l}'
        awk 'BEGIN{print ENVIRON["X"]}'
        awk "{print $1}" f
        awk '{print $1}' /etc/shadow
        xargs -I{} sh -c '{}' < f
        find . | xargs rm -f
        ls | xargs -I{} rm {}
        seq 3 | xargs -n1 -P3 sh -c 'rm -rf /etc'
        find . -exec bash -c 'rm $0' {} \;
        find . -name '*.rs' -exec cat {} \; -o -exec rm -rf /etc \;
        find . -exec echo {} + -delete
        find . -fls /etc/x
        find . -files0-from /etc/passwd
        "###,
    );
}

#[test]
fn git_reads_are_level_0() {
    all(
        Level::Read,
        r###"
        git status --short
        git log --oneline -20
        git log -p -2
        git log --graph --all
        git show HEAD
        git show HEAD~1:src/main.rs
        git diff HEAD~1
        git diff --staged
        git diff --stat main...feat
        git diff --name-only
        git blame src/main.rs
        git blame -L 1,10 src/main.rs
        git branch --show-current
        git branch --list
        git branch --list 'f*'
        git branch --contains HEAD
        git branch -r
        git tag
        git tag --list 'v*'
        git remote -v
        git remote
        git remote get-url origin
        git rev-parse HEAD
        git rev-parse --show-toplevel
        git rev-parse --abbrev-ref HEAD
        git ls-files
        git ls-files -m
        git ls-tree -r HEAD
        git cat-file -p HEAD
        git shortlog -sn
        git stash list
        git stash show
        git stash show -p
        git reflog
        git reflog show
        git config --get user.name
        git config --list
        git config user.name
        git config -l
        git grep foo
        git grep -n foo -- src
        git worktree list
        git rev-list --count HEAD
        git merge-base main HEAD
        git name-rev HEAD
        git for-each-ref
        git show-ref
        git count-objects -v
        git check-ignore target
        git --no-pager log
        git --no-pager diff
        git diff-tree HEAD
        git symbolic-ref HEAD
        git submodule status
        git submodule
        git notes list
        git cherry main
        git whatchanged
        git var GIT_EDITOR
        git version
        git --version
        git log -- src
        git log --since=yesterday
        git log -S foo
        git log --follow src/main.rs
        git describe --always
        git status -sb
        git diff --check
        git diff --cached
        git show --stat
        git show --name-only HEAD
        git -P log
        git range-diff a b c
        git bisect log
        git log --format=%H -n 1
        git diff | head
        git log | grep foo
        git shortlog HEAD
        git -C . status
        git log --format=%x
        git log -o x
        "###,
    );
}

#[test]
fn git_edits_are_level_1() {
    all(
        Level::Edit,
        r###"
        git archive HEAD
        git diff --outp=x
        git archive -o x.tar HEAD
        git commit -m x
        git commit -am x
        git add .
        git add -A
        "###,
    );
}

#[test]
fn git_what_runs_code_is_level_2() {
    all(
        Level::Shell,
        r###"
        git fsck
        git help
        git verify-commit HEAD
        git log --show-signature
        git branch --help
        git -c core.pager=id log
        git -c alias.x='!id' x
        git --exec-path=. status
        git -C evil status
        git --git-dir=evil status
        git --config-env=core.pager=X log
        git -p log
        git diff --ext-diff
        git grep -Oid x
        git grep --open-files-in-pager=id x
        git grep --ext-grep x
        git cat-file --textconv HEAD:x
        git checkout main
        git checkout -b new
        git restore --staged f
        git stash
        git stash pop
        git branch -d x
        git branch new
        git gc
        git tag v1
        git config user.email a@b
        git bisect run ./x.sh
        git rm f
        git mv a b
        git am x
        git cherry-pick x
        git st
        "###,
    );
}

#[test]
fn git_what_reaches_out_is_level_3() {
    all(
        Level::System,
        r###"
        git ls-remote
        git diff --output=/etc/x
        git diff --no-index /etc/shadow x
        git diff --no-index /etc/passwd /dev/null
        git show HEAD:.env
        git log -p -- .env
        git blame .env
        git archive --remote=ssh://x HEAD
        git archive --output=/etc/x HEAD
        git reset --hard
        git reset --hard HEAD~3
        git clean -fdx
        git checkout -- .
        git checkout .
        git checkout src/main.rs
        git checkout HEAD -- f
        git checkout -f
        git restore .
        git stash drop
        git stash clear
        git branch -D x
        git push
        git push --force
        git commit --amend
        git rebase main
        git rebase -i HEAD~3
        git filter-branch x
        git reflog expire --all
        git gc --prune=now
        git tag -d v1
        git config core.hooksPath x
        git config --global user.name x
        git remote add x y
        git remote set-url origin https://evil
        git fetch
        git pull
        git clone https://x/y
        git submodule foreach 'rm -rf /etc'
        git worktree add ../x
        git update-ref refs/heads/x y
        git $x
        git lfs pull
        git show :.env
        "###,
    );
}
