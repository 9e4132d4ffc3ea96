extension vector

table api_keys
  id uuid not null
  tenant_id bigint not null
  name text not null
  key_hash bytea not null
  capabilities text[] not null
  projects text[]
  workspaces text[]
  agents text[]
  user_ids text[]
  created_at timestamp(3) with time zone not null
  revoked_at timestamp(3) with time zone
  constraint api_keys_capabilities_check CHECK ((capabilities <@ ARRAY['memory_read'::text, 'memory_write'::text, 'memory_review'::text, 'memory_erase'::text, 'admin'::text]))
  constraint api_keys_hash UNIQUE (key_hash)
  constraint api_keys_key_hash_check CHECK ((octet_length(key_hash) = 32))
  constraint api_keys_pkey PRIMARY KEY (id)
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
  CREATE INDEX api_keys_tenant ON api_keys USING btree (tenant_id, created_at, id)

table bindings row level security, forced
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
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table candidate_tags row level security, forced
  scope_id bigint not null
  tag text not null
  memory_no bigint not null
  constraint candidate_tags_pkey PRIMARY KEY (scope_id, tag, memory_no)
  constraint candidate_tags_scope_id_memory_no_fkey FOREIGN KEY (scope_id, memory_no) REFERENCES candidates(scope_id, memory_no) ON DELETE CASCADE
  CREATE INDEX candidate_tags_memory ON candidate_tags USING btree (scope_id, memory_no)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table candidates row level security, forced
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
  created_at timestamp(3) with time zone not null
  content_digest text not null
  exact_length integer not null
  stemmed_length integer not null
  space_id bigint
  embedding vector storage m
  eligible boolean not null default true
  valid_until timestamp(3) with time zone
  constraint candidates_memory UNIQUE (scope_id, memory_id)
  constraint candidates_pkey PRIMARY KEY (scope_id, memory_no)
  constraint candidates_scope_id_memory_id_fkey FOREIGN KEY (scope_id, memory_id) REFERENCES memories(scope_id, id)
  constraint candidates_space_id_fkey FOREIGN KEY (space_id) REFERENCES spaces(id)
  CREATE INDEX candidates_listing ON candidates USING btree (scope_id, created_at DESC, memory_id DESC)
  CREATE INDEX candidates_space ON candidates USING btree (scope_id, space_id)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table change_events row level security, forced
  scope_id bigint not null
  seq bigint not null
  kind text not null
  memory_id uuid not null
  revision integer not null
  at timestamp(3) with time zone not null
  digest text not null
  constraint change_events_pkey PRIMARY KEY (scope_id, seq)
  constraint change_events_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES scopes(id)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table grants row level security, forced
  scope_id bigint not null
  memory_id uuid not null
  agent_id text not null
  granted_at timestamp(3) with time zone not null
  constraint grants_pkey PRIMARY KEY (scope_id, memory_id, agent_id)
  constraint grants_scope_id_memory_id_fkey FOREIGN KEY (scope_id, memory_id) REFERENCES memories(scope_id, id)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table memories row level security, forced
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
  content_key text
  review text not null default 'none'::text
  sources_valid boolean not null default true
  effective_valid_until timestamp(3) with time zone
  depth smallint not null default 0
  erased_at timestamp(3) with time zone
  constraint memories_depth_check CHECK (((depth >= 0) AND (depth <= 8)))
  constraint memories_number UNIQUE (scope_id, memory_no)
  constraint memories_pkey PRIMARY KEY (scope_id, id)
  constraint memories_review_check CHECK ((review = ANY (ARRAY['none'::text, 'approved'::text, 'rejected'::text])))
  constraint memories_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES scopes(id)
  CREATE INDEX memories_content_key ON memories USING btree (scope_id, content_key) WHERE (deleted_at IS NULL)
  CREATE UNIQUE INDEX memories_external_id ON memories USING btree (scope_id, external_id, agent_id) NULLS NOT DISTINCT WHERE ((external_id IS NOT NULL) AND (deleted_at IS NULL))
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table memory_revisions row level security, forced
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
  review text not null default 'none'::text
  constraint memory_revisions_pkey PRIMARY KEY (scope_id, memory_id, revision)
  constraint memory_revisions_review_check CHECK ((review = ANY (ARRAY['none'::text, 'approved'::text, 'rejected'::text])))
  constraint memory_revisions_scope_id_memory_id_fkey FOREIGN KEY (scope_id, memory_id) REFERENCES memories(scope_id, id)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table memory_sources row level security, forced
  scope_id bigint not null
  memory_id uuid not null
  source_id uuid not null
  source_content_revision integer not null
  constraint memory_sources_pkey PRIMARY KEY (scope_id, memory_id, source_id)
  constraint memory_sources_scope_id_memory_id_fkey FOREIGN KEY (scope_id, memory_id) REFERENCES memories(scope_id, id)
  constraint memory_sources_scope_id_source_id_fkey FOREIGN KEY (scope_id, source_id) REFERENCES memories(scope_id, id)
  CREATE INDEX memory_sources_dependents ON memory_sources USING btree (scope_id, source_id, memory_id)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table migration_lock
  id integer not null
  lease_until timestamp(3) with time zone
  constraint migration_lock_id_check CHECK ((id = 1))
  constraint migration_lock_pkey PRIMARY KEY (id)

table past_postings row level security, forced
  scope_id bigint not null
  memory_id uuid not null
  content_revision integer not null
  terms bigint[] not null
  frequencies integer[] not null
  lengths integer[] not null
  constraint past_postings_check CHECK (((cardinality(frequencies) = cardinality(terms)) AND (cardinality(lengths) = cardinality(terms))))
  constraint past_postings_pkey PRIMARY KEY (scope_id, memory_id, content_revision)
  constraint past_postings_scope_id_memory_id_fkey FOREIGN KEY (scope_id, memory_id) REFERENCES memories(scope_id, id)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table postings row level security, forced
  scope_id bigint not null
  term bigint not null
  memory_no bigint not null
  frequency integer not null
  length integer not null
  constraint postings_pkey PRIMARY KEY (scope_id, term, memory_no) INCLUDE (frequency, length)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table receipts row level security, forced
  scope_id bigint not null
  actor text not null
  operation text not null
  key text not null
  fingerprint text not null
  result jsonb not null
  created_at timestamp(3) with time zone not null
  constraint receipts_pkey PRIMARY KEY (scope_id, actor, operation, key)
  constraint receipts_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES scopes(id)
  CREATE INDEX receipts_age ON receipts USING btree (scope_id, created_at)
  policy scope_only for all to public using (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint) with check (scope_id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant delete, insert, select, update to memgate_app

table schema_migrations
  number integer not null
  name text not null
  checksum text not null
  applied_at timestamp(3) with time zone not null default now()
  constraint schema_migrations_pkey PRIMARY KEY (number)

table scopes row level security
  id bigint not null generated always as identity
  tenant_id bigint not null
  project text
  mission text
  user_id text
  workspace_id text
  last_memory_no bigint not null default 0
  created_at timestamp(3) with time zone not null default now()
  journal_id uuid not null default gen_random_uuid()
  head_seq bigint not null default 0
  head_digest text not null default ''::text
  live_memories bigint not null default 0
  ready_space_ids bigint[] not null default '{}'::bigint[]
  projected_space_id bigint
  constraint scopes_identity UNIQUE NULLS NOT DISTINCT (tenant_id, project, mission, user_id, workspace_id)
  constraint scopes_one_partition CHECK ((num_nonnulls(user_id, workspace_id) = 1))
  constraint scopes_pkey PRIMARY KEY (id)
  constraint scopes_projected_space_id_fkey FOREIGN KEY (projected_space_id) REFERENCES spaces(id)
  constraint scopes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
  policy scope_only for all to public using (id = (NULLIF(current_setting('memgate.scope_id'::text, true), ''::text))::bigint)
  grant select, update to memgate_app

table spaces
  id bigint not null generated always as identity
  provider text not null
  model text not null
  revision text not null
  dimensions integer not null
  recipe text not null
  created_at timestamp(3) with time zone not null default now()
  state text not null default 'building'::text
  activated_at timestamp(3) with time zone
  base_url text
  settings jsonb not null default '{}'::jsonb
  constraint spaces_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 16000)))
  constraint spaces_identity UNIQUE (provider, model, revision, dimensions, recipe)
  constraint spaces_pkey PRIMARY KEY (id)
  constraint spaces_state_check CHECK ((state = ANY (ARRAY['building'::text, 'served'::text, 'standby'::text, 'retired'::text])))
  CREATE UNIQUE INDEX spaces_served ON spaces USING btree (state) WHERE (state = 'served'::text)
  grant select to memgate_app

table tenants
  id bigint not null generated always as identity
  name text not null
  created_at timestamp(3) with time zone not null default now()
  secret bytea not null default sha256(convert_to(((gen_random_uuid())::text || (gen_random_uuid())::text), 'utf8'::name))
  constraint tenants_name_key UNIQUE (name)
  constraint tenants_pkey PRIMARY KEY (id)
  grant select to memgate_app
