//! What the sandbox makes harmless is not asked about in `auto`; what they would refuse, and what destroys work, is.

use ox_protocol::{CallFacts, Level};

/// The level of each line once the sandbox holds it.
fn in_sandbox(line: &str) -> Level {
    let found = super::at_home(&line.replace("⏎", "\n"));
    let facts = CallFacts {
        level: found.level,
        command: Some(line.to_owned()),
        effects: found.effects,
        hosts: found.hosts,
        ..CallFacts::default()
    };
    facts.level_in_sandbox()
}

fn all(unasked: bool, lines: &str) {
    let lines = lines.lines().map(str::trim).filter(|it| !it.is_empty());
    let wrong: Vec<&str> = lines.filter(|it| (in_sandbox(it) < Level::System) != unasked).collect();
    assert!(wrong.is_empty(), "unasked should be {unasked}:\n{}", wrong.join("\n"));
}

#[test]
fn what_the_sandbox_makes_harmless_runs() {
    all(
        true,
        r###"
        frobnicate --all
        for f in $(ls); do ./tool "$f"; done
        for p in python3.9 python3.11; do $p -V; done
        p=$(command -v python3); $p -V
        x=$(mktemp -d); cp src/a.py "$x"; python3 "$x/a.py"; rm -rf "$x"
        d=$(mktemp -d) && cd "$d" && echo x > y
        python - <<'EOF'⏎import os, sys⏎SECRET_KEY='x'⏎os.environ.setdefault('A', 'b')⏎from django.http import HttpRequest⏎EOF
        python3 - <<EOF⏎from django.conf import settings⏎settings.configure(SECRET_KEY="abc", ALLOWED_HOSTS=["http://testserver"])⏎print(settings.key)⏎EOF
        python -c "import requests; print(requests.__version__)"
        python3 -c "import subprocess; subprocess.run(['ls'])"
        echo x > /tmp/x
        cat > /tmp/t.py <<EOF⏎print(1)⏎EOF
        mkdir -p /tmp/work/a && cp -r src /tmp/work
        rm -rf /tmp/work
        ls /usr/lib
        ls -la ..
        cat /etc/hosts
        find / -name 'libssl*' -maxdepth 4
        pyenv versions
        /opt/venv/bin/python -m pytest tests
        /tmp/venv/bin/python -V
        ~/.pyenv/versions/3.11.4/bin/python -c 'print(1)'
        $(which node) -v
        eval "$(./env.sh)"; ls
        make test | tee /tmp/log
        env | grep PATH
        bash -c 'for i in 1 2 3; do ./x $i; done'
        kill -9 -1
        python -m http.server 8000
        ls | xargs -I{} sh -c 'wc -l {}'
        awk 'BEGIN{system("id")}'
        sed -i "s/a/$b/" src/x.rs
        perl -MIO::Socket -e 'print 1'
        if then
        select x in a b; do echo $x; done
        cargo test 2>&1 | tail -5; echo "exit $?"
        git $(echo log) --oneline
        ldd target/debug/ox && file /usr/bin/env
        "###,
    );
}

#[test]
fn what_the_sandbox_would_refuse_or_cannot_bring_back_is_asked() {
    all(
        false,
        r###"
        curl https://a.example
        for i in 1 2; do curl https://a.example/$i; done
        x=1; git push
        pip install x && scp a host:
        echo x > /etc/x
        echo x > ~/.bashrc
        cp a ../b
        rm -rf ~/x
        rm -rf /opt/x
        echo x > .git/config
        cat .env
        python -c "print(open('.env').read())"
        python -c "print(open('/home/v/.ssh/id_rsa').read())"
        cat ~/.ssh/id_rsa
        git reset --hard
        git clean -fd
        git checkout .
        git checkout -- src
        git restore .
        git stash drop
        git branch -D x
        git commit --amend
        git rebase main
        bash -c 'git reset --hard'
        find . -name x -exec git checkout -- {} \;
        f() { git clean -fdx; }; f
        sudo ls
        npm publish
        npm install -g x
        make deploy
        docker run x
        if git reset --hard then
        ls; git push <<<<
        "###,
    );
}
