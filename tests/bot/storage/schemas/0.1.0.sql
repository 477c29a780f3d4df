-- A log as gpusize 0.1.0 left it. Never edited: a newer program must read it.
pragma application_id = 1735423347;
pragma user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'gpusize','001_answers','2026-11-30 09:24:21.597793+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'gpusize','002_answers_append_only','2026-11-30 09:24:21.598033+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'gpusize','003_seen','2026-11-30 09:24:21.598360+00:00');
CREATE TABLE "answers" (
   "id" INTEGER PRIMARY KEY,
   "at" TEXT NOT NULL,
   "enterprise_id" TEXT,
   "team_id" TEXT,
   "user_id" TEXT NOT NULL,
   "user_name" TEXT,
   "channel_id" TEXT,
   "transport" TEXT NOT NULL,
   "language" TEXT NOT NULL,
   "is_private" INTEGER NOT NULL,
   "question" TEXT NOT NULL,
   "request_json" TEXT,
   "answer_json" TEXT,
   "error_code" TEXT,
   "package_version" TEXT NOT NULL,
   "catalogue_digest" TEXT
);
INSERT INTO "answers" VALUES(1,'2026-11-30T09:30:00.000Z',NULL,'T1','U1','ana','C1','socket','es',0,'llama-13b int8','{"model_id":"llama-13b"}','{"schema":"gpusize/1"}',NULL,'0.1.0','0123456789abcdef');
CREATE TABLE "seen" (
   "key" TEXT PRIMARY KEY,
   "expires_at" TEXT NOT NULL
);
INSERT INTO "seen" VALUES('event:Ev1','2026-12-01T09:30:00.000Z');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX "idx_answers_team_id_user_id"
    ON "answers" ("team_id", "user_id");
CREATE TRIGGER answers_no_update before update on answers begin select raise(abort, 'answers are append-only'); end;
CREATE TRIGGER answers_no_delete before delete on answers begin select raise(abort, 'answers are append-only'); end;
CREATE INDEX "idx_seen_expires_at"
    ON "seen" ("expires_at");
COMMIT;
