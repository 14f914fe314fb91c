-- A database as the first Numberline with a server made it, with a match of two people and a match against a program.
PRAGMA application_id = 0x4E4C696E;
PRAGMA user_version = 1;
BEGIN;
CREATE TABLE "match" (
	id TEXT NOT NULL, 
	variant TEXT NOT NULL, 
	source TEXT, 
	first INTEGER NOT NULL, 
	rounds INTEGER NOT NULL, 
	settings JSON NOT NULL, 
	rematch_of TEXT, 
	created DOUBLE NOT NULL, 
	ended DOUBLE, 
	score JSON NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX match_ended ON "match" (ended);
CREATE TABLE seat (
	"match" TEXT NOT NULL, 
	seat INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	bot TEXT, 
	token_hash TEXT, 
	invite_hash TEXT, 
	claimed DOUBLE, 
	PRIMARY KEY ("match", seat)
);
CREATE TABLE event (
	"match" TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	what TEXT NOT NULL, 
	request TEXT NOT NULL, 
	spent_ms BIGINT NOT NULL, 
	at DOUBLE NOT NULL, 
	PRIMARY KEY ("match", seq), 
	UNIQUE ("match", request)
)
 WITHOUT ROWID;
INSERT INTO "match" VALUES('one','flag-chase',NULL,1,1,'{"assist": "on", "clock": null, "tossed": false, "start": null}',NULL,1800000000.0,NULL,'[0, 0]');
INSERT INTO seat VALUES('one',1,'Ann',NULL,'5b3c','',1800000000.0);
INSERT INTO seat VALUES('one',2,'Bob',NULL,'77fe','a01d',1800000001.0);
INSERT INTO event VALUES('one',1,2,'join','server-1',0,1800000001.0);
COMMIT;
