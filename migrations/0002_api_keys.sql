-- The key itself is never stored: SHA-256 of 256 random bits. A null list of grants limits nothing.
create table api_keys (
  id uuid primary key,
  tenant_id bigint not null references tenants,
  name text not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  capabilities text[] not null
    check (capabilities <@ array['memory_read', 'memory_write', 'memory_review', 'memory_erase', 'admin']),
  projects text[],
  workspaces text[],
  agents text[],
  user_ids text[],
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  constraint api_keys_hash unique (key_hash)
);

create index api_keys_tenant on api_keys (tenant_id, created_at, id);
