-- Published lists of persons and businesses that nobody may serve. They belong to the platform, not to an organization.

-- The entries of a stretch of entry numbers, packed. Named by their content: a version that changes three entries adds
-- three rows here and shares the rest with the version before, so every version can be kept.
create table svc.watch_list_chunks (
  chunk_hash bytea primary key,
  entries bytea not null
);
grant select, insert on svc.watch_list_chunks to svc_app;

-- Each different list that was imported. The one with the highest number is in force.
create table svc.watch_lists (
  version integer primary key,
  content_hash bytea not null,
  chunk_hashes bytea[] not null,
  entry_count integer not null,
  name_count integer not null,
  address_count integer not null,
  created_at timestamptz not null default clock_timestamp()
);
grant select, insert on svc.watch_lists to svc_app;

-- Each time somebody imported, also when the list was the one in force already: that is how old our knowledge is.
create table svc.watch_list_imports (
  import_id uuid primary key,
  version integer not null references svc.watch_lists,
  imported_at timestamptz not null default clock_timestamp()
);
create index watch_list_imports_newest on svc.watch_list_imports (imported_at);
grant select, insert on svc.watch_list_imports to svc_app;

insert into svc.revisions (name) values ('watch list');
