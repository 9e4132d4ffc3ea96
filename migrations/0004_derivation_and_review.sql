alter table memories
  add column review text not null default 'none' check (review in ('none', 'approved', 'rejected')),
  -- False while a source, at any distance, is deleted, rejected or no longer at the content revision that was derived from.
  add column sources_valid boolean not null default true,
  -- The earliest end among its own and its sources' expiry; null where nothing expires.
  add column effective_valid_until timestamptz(3),
  -- 0 for a memory without sources, else one more than its deepest source.
  add column depth smallint not null default 0 check (depth between 0 and 8),
  -- Set when the content is gone for good: what is left is the id, the last revision and the times.
  add column erased_at timestamptz(3);

update memories as m
set effective_valid_until = r.expires_at
from memory_revisions as r
where r.scope_id = m.scope_id
  and r.memory_id = m.id
  and r.revision = m.revision;

alter table memory_revisions
  add column review text not null default 'none' check (review in ('none', 'approved', 'rejected'));

-- What a derived memory was derived from, pinned to the content that it was derived from; never changed.
create table memory_sources (
  scope_id bigint not null,
  memory_id uuid not null,
  source_id uuid not null,
  source_content_revision integer not null,
  primary key (scope_id, memory_id, source_id),
  foreign key (scope_id, memory_id) references memories (scope_id, id),
  foreign key (scope_id, source_id) references memories (scope_id, id)
);

create index memory_sources_dependents on memory_sources (scope_id, source_id, memory_id);

alter table memory_sources enable row level security;
alter table memory_sources force row level security;
create policy scope_only on memory_sources
  using (scope_id = nullif(current_setting('memgate.scope_id', true), '')::bigint)
  with check (scope_id = nullif(current_setting('memgate.scope_id', true), '')::bigint);

-- A candidate that is not eligible (rejected, or a source is not valid) is kept for its vector and found by nothing.
alter table candidates
  add column eligible boolean not null default true,
  add column valid_until timestamptz(3);

update candidates set valid_until = expires_at;

alter table candidates drop column expires_at;

-- A scope that the statistics do not know yet passes for one row, and then every index that begins with the scope for as
-- good as the primary key: looking 10,000 sources up took minutes. Without statistics it passes for a 200th of the table.
alter table memories alter column scope_id set statistics 0;
alter table memory_sources alter column scope_id set statistics 0;
