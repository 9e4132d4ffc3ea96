extension vector

table bindings
  scope_id bigint not null
  space_id bigint not null
  memory_id uuid not null
  content_revision integer not null
  embedding vector not null
  truncated boolean not null
  created_at timestamp(3) with time zone not null
  constraint bindings_pkey PRIMARY KEY (scope_id, space_id, memory_id, content_revision)
  constraint bindings_scope_id_memory_id_fkey FOREIGN KEY (scope_id, memory_id) REFERENCES memories(scope_id, id)
  constraint bindings_space_id_fkey FOREIGN KEY (space_id) REFERENCES spaces(id)

table candidate_tags
  scope_id bigint not null
  tag text not null
  memory_no bigint not null
  constraint candidate_tags_pkey PRIMARY KEY (scope_id, tag, memory_no)
  constraint candidate_tags_scope_id_memory_no_fkey FOREIGN KEY (scope_id, memory_no) REFERENCES candidates(scope_id, memory_no) ON DELETE CASCADE
  CREATE INDEX candidate_tags_memory ON candidate_tags USING btree (scope_id, memory_no)

table candidates
  scope_id bigint not null
  memory_no bigint not null
  memory_id uuid not null
  revision integer not null
  content_revision integer not null
  agent_id text
  visibility text
  namespace text
  source_site text
  session_id text
  episode_type text
  importance double precision not null
  trust double precision not null
  event_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone
  created_at timestamp(3) with time zone not null
  content_digest text not null
  exact_length integer not null
  stemmed_length integer not null
  space_id bigint
  embedding vector storage m
  constraint candidates_memory UNIQUE (scope_id, memory_id)
  constraint candidates_pkey PRIMARY KEY (scope_id, memory_no)
  constraint candidates_scope_id_memory_id_fkey FOREIGN KEY (scope_id, memory_id) REFERENCES memories(scope_id, id)
  constraint candidates_space_id_fkey FOREIGN KEY (space_id) REFERENCES spaces(id)
  CREATE INDEX candidates_listing ON candidates USING btree (scope_id, created_at DESC, memory_id DESC)
  CREATE INDEX candidates_space ON candidates USING btree (space_id, scope_id, memory_no)

table memories
  scope_id bigint not null
  id uuid not null
  memory_no bigint not null
  revision integer not null
  content_revision integer not null
  agent_id text
  external_id text
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  deleted_at timestamp(3) with time zone
  constraint memories_number UNIQUE (scope_id, memory_no)
  constraint memories_pkey PRIMARY KEY (scope_id, id)
  constraint memories_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES scopes(id)
  CREATE UNIQUE INDEX memories_external_id ON memories USING btree (scope_id, external_id, agent_id) NULLS NOT DISTINCT WHERE ((external_id IS NOT NULL) AND (deleted_at IS NULL))

table memory_revisions
  scope_id bigint not null
  memory_id uuid not null
  revision integer not null
  content_revision integer not null
  content text not null
  content_digest text not null
  exact_length integer not null
  stemmed_length integer not null
  namespace text
  source_site text
  source_url text
  session_id text
  episode_type text
  tags text[] not null
  importance double precision not null
  trust double precision not null
  metadata jsonb not null
  event_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone
  external_id text
  visibility text
  recorded_at timestamp(3) with time zone not null
  constraint memory_revisions_pkey PRIMARY KEY (scope_id, memory_id, revision)
  constraint memory_revisions_scope_id_memory_id_fkey FOREIGN KEY (scope_id, memory_id) REFERENCES memories(scope_id, id)

table migration_lock
  id integer not null
  lease_until timestamp(3) with time zone
  constraint migration_lock_id_check CHECK ((id = 1))
  constraint migration_lock_pkey PRIMARY KEY (id)

table postings
  scope_id bigint not null
  term bigint not null
  memory_no bigint not null
  frequency integer not null
  length integer not null
  constraint postings_pkey PRIMARY KEY (scope_id, term, memory_no) INCLUDE (frequency, length)

table schema_migrations
  number integer not null
  name text not null
  checksum text not null
  applied_at timestamp(3) with time zone not null default now()
  constraint schema_migrations_pkey PRIMARY KEY (number)

table scopes
  id bigint not null generated always as identity
  tenant_id bigint not null
  project text
  mission text
  user_id text
  workspace_id text
  last_memory_no bigint not null default 0
  created_at timestamp(3) with time zone not null default now()
  constraint scopes_identity UNIQUE NULLS NOT DISTINCT (tenant_id, project, mission, user_id, workspace_id)
  constraint scopes_one_partition CHECK ((num_nonnulls(user_id, workspace_id) = 1))
  constraint scopes_pkey PRIMARY KEY (id)
  constraint scopes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)

table spaces
  id bigint not null generated always as identity
  provider text not null
  model text not null
  revision text not null
  dimensions integer not null
  recipe text not null
  created_at timestamp(3) with time zone not null default now()
  constraint spaces_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 16000)))
  constraint spaces_identity UNIQUE (provider, model, revision, dimensions, recipe)
  constraint spaces_pkey PRIMARY KEY (id)

table tenants
  id bigint not null generated always as identity
  name text not null
  created_at timestamp(3) with time zone not null default now()
  constraint tenants_name_key UNIQUE (name)
  constraint tenants_pkey PRIMARY KEY (id)
