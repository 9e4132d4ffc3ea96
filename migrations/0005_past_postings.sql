-- The words of contents that are no longer live, superseded or deleted, for reading the past: a row for each content, since
-- it is found by its memory and not by its words. `terms` ascend; frequencies and lengths stand beside them, as in postings.
create table past_postings (
  scope_id bigint not null,
  memory_id uuid not null,
  content_revision integer not null,
  terms bigint[] not null,
  frequencies integer[] not null,
  lengths integer[] not null,
  primary key (scope_id, memory_id, content_revision),
  foreign key (scope_id, memory_id) references memories (scope_id, id),
  check (cardinality(frequencies) = cardinality(terms) and cardinality(lengths) = cardinality(terms))
);

alter table past_postings enable row level security;
alter table past_postings force row level security;
create policy scope_only on past_postings
  using (scope_id = nullif(current_setting('memgate.scope_id', true), '')::bigint)
  with check (scope_id = nullif(current_setting('memgate.scope_id', true), '')::bigint);
