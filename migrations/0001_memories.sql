create extension if not exists vector;

create table tenants (
  id bigint generated always as identity primary key,
  name text not null unique,
  created_at timestamptz(3) not null default now()
);

insert into tenants (name) values ('default');

-- One authorised partition of memories. An absent project or mission means "none", so null equals null here.
create table scopes (
  id bigint generated always as identity primary key,
  tenant_id bigint not null references tenants,
  project text,
  mission text,
  user_id text,
  workspace_id text,
  last_memory_no bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  constraint scopes_one_partition check (num_nonnulls(user_id, workspace_id) = 1),
  constraint scopes_identity unique nulls not distinct (tenant_id, project, mission, user_id, workspace_id)
);

create table memories (
  scope_id bigint not null references scopes,
  id uuid not null,
  memory_no bigint not null,
  revision integer not null,
  content_revision integer not null,
  agent_id text,
  external_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (scope_id, id),
  constraint memories_number unique (scope_id, memory_no)
);

create unique index memories_external_id
  on memories (scope_id, external_id, agent_id) nulls not distinct
  where external_id is not null and deleted_at is null;

-- Immutable: every accepted change of a memory adds a row.
create table memory_revisions (
  scope_id bigint not null,
  memory_id uuid not null,
  revision integer not null,
  content_revision integer not null,
  content text not null,
  content_digest text not null,
  exact_length integer not null,
  stemmed_length integer not null,
  namespace text,
  source_site text,
  source_url text,
  session_id text,
  episode_type text,
  tags text[] not null,
  importance double precision not null,
  trust double precision not null,
  metadata jsonb not null,
  event_at timestamptz(3) not null,
  expires_at timestamptz(3),
  external_id text,
  visibility text,
  recorded_at timestamptz(3) not null,
  primary key (scope_id, memory_id, revision),
  foreign key (scope_id, memory_id) references memories (scope_id, id)
);

create table spaces (
  id bigint generated always as identity primary key,
  provider text not null,
  model text not null,
  revision text not null,
  dimensions integer not null check (dimensions between 1 and 16000),
  recipe text not null,
  created_at timestamptz(3) not null default now(),
  constraint spaces_identity unique (provider, model, revision, dimensions, recipe)
);

-- One vector of (memory, content revision, space), exactly as the provider gave it.
create table bindings (
  scope_id bigint not null,
  space_id bigint not null references spaces,
  memory_id uuid not null,
  content_revision integer not null,
  embedding vector not null,
  truncated boolean not null,
  created_at timestamptz(3) not null,
  primary key (scope_id, space_id, memory_id, content_revision),
  foreign key (scope_id, memory_id) references memories (scope_id, id)
);

-- What can be found: one narrow row for each live memory, rebuilt at will from memories, revisions and bindings.
create table candidates (
  scope_id bigint not null,
  memory_no bigint not null,
  memory_id uuid not null,
  revision integer not null,
  content_revision integer not null,
  agent_id text,
  visibility text,
  namespace text,
  source_site text,
  session_id text,
  episode_type text,
  importance double precision not null,
  trust double precision not null,
  event_at timestamptz(3) not null,
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  content_digest text not null,
  exact_length integer not null,
  stemmed_length integer not null,
  space_id bigint references spaces,
  embedding vector,
  primary key (scope_id, memory_no),
  constraint candidates_memory unique (scope_id, memory_id),
  foreign key (scope_id, memory_id) references memories (scope_id, id)
);

-- Beside the row up to a page (2,000 dimensions), outside it beyond: an exact scan of 20,000 rows took 19 ms of CPU
-- with the vector in the row, 54 ms with it in the side table of large values.
alter table candidates alter column embedding set storage main;

create index candidates_listing on candidates (scope_id, created_at desc, memory_id desc);

-- The backlog of the embedding loop: rows without a vector of the served space.
create index candidates_space on candidates (space_id, scope_id, memory_no);

create table candidate_tags (
  scope_id bigint not null,
  tag text not null,
  memory_no bigint not null,
  primary key (scope_id, tag, memory_no),
  foreign key (scope_id, memory_no) references candidates (scope_id, memory_no) on delete cascade
);

create index candidate_tags_memory on candidate_tags (scope_id, memory_no);

-- One (scope, term, memory) with its term frequency and the memory's length in the term's lexeme set.
-- `term` is a 64-bit hash of the lexeme; words as written and stems are told apart by the hash.
create table postings (
  scope_id bigint not null,
  term bigint not null,
  memory_no bigint not null,
  frequency integer not null,
  length integer not null,
  primary key (scope_id, term, memory_no) include (frequency, length)
);
