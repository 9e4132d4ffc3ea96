-- Everything that is written in a scope is ordered by its head row, which every writer locks.
alter table scopes
  add column journal_id uuid not null default gen_random_uuid(),
  add column head_seq bigint not null default 0,
  add column head_digest text not null default '',
  add column live_memories bigint not null default 0,
  add column ready_space_id bigint references spaces;

-- Scopes with memories that may lack a vector of the served space: the embedding loop's work list.
create index scopes_ready_space on scopes (ready_space_id);

-- The backlog is now found scope by scope.
drop index candidates_space;
create index candidates_space on candidates (scope_id, space_id);

-- Random key of a tenant: fingerprints and duplicate keys made with it say nothing to who lacks it.
alter table tenants add column secret bytea not null default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'utf8'));

-- Equal for equal content of one author after normalisation; null once erased.
alter table memories add column content_key text;
create index memories_content_key on memories (scope_id, content_key) where deleted_at is null;

create table change_events (
  scope_id bigint not null references scopes,
  seq bigint not null,
  kind text not null,
  memory_id uuid not null,
  revision integer not null,
  at timestamptz(3) not null,
  digest text not null,
  primary key (scope_id, seq)
);

-- What an idempotent command did; the reply is rebuilt from it and from the immutable revision, so it holds no content.
create table receipts (
  scope_id bigint not null references scopes,
  actor text not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  result jsonb not null,
  created_at timestamptz(3) not null,
  primary key (scope_id, actor, operation, key)
);

create index receipts_age on receipts (scope_id, created_at);

-- Agents that may see one restricted memory, named by its author.
create table grants (
  scope_id bigint not null,
  memory_id uuid not null,
  agent_id text not null,
  granted_at timestamptz(3) not null,
  primary key (scope_id, memory_id, agent_id),
  foreign key (scope_id, memory_id) references memories (scope_id, id)
);

-- The second lock on every scoped table: a statement that forgets its scope, or has another one, sees and writes nothing.
do $$
declare
  scoped text;
begin
  foreach scoped in array array[
    'memories', 'memory_revisions', 'bindings', 'candidates', 'candidate_tags', 'postings', 'change_events', 'receipts',
    'grants'
  ] loop
    execute format('alter table %I enable row level security', scoped);
    execute format('alter table %I force row level security', scoped);
    execute format(
      'create policy scope_only on %I
         using (scope_id = nullif(current_setting(''memgate.scope_id'', true), '''')::bigint)
         with check (scope_id = nullif(current_setting(''memgate.scope_id'', true), '''')::bigint)',
      scoped);
  end loop;
end
$$;

-- The registry of scopes is read before a scope is known, by the owner only; within a scope its own row is all there is.
alter table scopes enable row level security;
create policy scope_only on scopes
  using (id = nullif(current_setting('memgate.scope_id', true), '')::bigint);
