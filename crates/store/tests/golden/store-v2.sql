-- Tables and rows as Ox 0.1.0 wrote them.
BEGIN TRANSACTION;
CREATE TABLE conversations (
    id      TEXT PRIMARY KEY,
    root    TEXT NOT NULL,
    name    TEXT,
    prompt  TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    turns   INTEGER NOT NULL,
    stop    TEXT,
    cost    INTEGER,
    tokens  INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    version INTEGER NOT NULL
);
INSERT INTO "conversations" VALUES('20261120-7f3k','/home/user/sums','the sum','Fix the sum',1795132800001,1795132800009,1,'"done"',41,700,4,2);
INSERT INTO "conversations" VALUES('20261120-7f3k.1','/home/user/sums',NULL,NULL,1795132800005,1795132800005,0,NULL,NULL,0,1,2);
CREATE TABLE events (
    conversation TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    time         INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    json         TEXT NOT NULL,
    PRIMARY KEY (conversation, seq)
);
INSERT INTO "events" VALUES('20261120-7f3k',1,1795132800001,'conversation_id','{"v":2,"seq":1,"time":1795132800001,"event":"conversation_id","id":"20261120-7f3k","root":"/home/user/sums","ox":"0.1.0"}');
INSERT INTO "events" VALUES('20261120-7f3k',2,1795132800002,'named','{"v":2,"seq":2,"time":1795132800002,"event":"named","name":"the sum"}');
INSERT INTO "events" VALUES('20261120-7f3k',3,1795132800003,'stage_enter','{"v":2,"seq":3,"time":1795132800003,"event":"stage_enter","stage":"load_context"}');
INSERT INTO "events" VALUES('20261120-7f3k',4,1795132800004,'stage_exit','{"v":2,"seq":4,"time":1795132800004,"event":"stage_exit","stage":"load_context","duration_ms":12,"success":true}');
INSERT INTO "events" VALUES('20261120-7f3k.1',1,1795132800001,'conversation_id','{"v":2,"seq":1,"time":1795132800001,"event":"conversation_id","id":"20261120-7f3k.1","root":"/home/user/sums","ox":"0.1.0"}');
CREATE TABLE forgotten (
    conversation TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    PRIMARY KEY (conversation, seq)
) WITHOUT ROWID;
INSERT INTO "forgotten" VALUES('20261120-7f3k',3);
CREATE INDEX conversations_of_root ON conversations (root, updated DESC, id DESC);
CREATE INDEX events_told ON events (conversation, seq) WHERE kind IN ('turn_start', 'summary', 'rewound');
COMMIT;
PRAGMA application_id = 1333281858;
PRAGMA user_version = 2;
