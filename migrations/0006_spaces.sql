-- Several embedding spaces at once: one is served, others are being filled, stand by to be served again, or are over.
alter table spaces
  add column state text not null default 'building' check (state in ('building', 'served', 'standby', 'retired')),
  add column activated_at timestamptz(3),
  -- What opens its embedder again, beside its identity. Never a key.
  add column base_url text,
  add column settings jsonb not null default '{}';

-- What the recipe of a remote embedder tells of them.
update spaces
set settings = jsonb_build_object('maxChars', substring(recipe from '^head_([0-9]+)_v1$')::integer)
where recipe ~ '^head_[0-9]{1,9}_v1$';

-- At most one space is served: moving this one row is the switch.
create unique index spaces_served on spaces (state) where state = 'served';

-- The space that most candidates use is the one that was served. Forced policies hide all rows from an owner, too.
alter table candidates no force row level security;

update spaces set state = 'retired';

update spaces
set state = 'served',
    activated_at = now()
where id = (
  select s.id
  from spaces as s
  left join (select space_id, count(*) as held from candidates where space_id is not null group by space_id) as c
    on c.space_id = s.id
  order by coalesce(c.held, 0) desc, s.id desc
  limit 1
);

alter table candidates force row level security;

alter table scopes
  -- The spaces in which no memory of the scope lacks a vector.
  add column ready_space_ids bigint[] not null default '{}',
  -- The served space whose vectors the scope's candidates hold, as far as there are any; null where some may not.
  add column projected_space_id bigint references spaces;

update scopes
set ready_space_ids = array[ready_space_id],
    projected_space_id = ready_space_id
where ready_space_id is not null;

alter table scopes drop column ready_space_id;
