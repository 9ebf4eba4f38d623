package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Passes slices to the inventory: only those of the active source of each pool ({@link PoolSources}). */
final class ActiveSliceIndex implements RowIndex {
    private final RowTable rows;
    private final DeviceInventory inventory;
    private final PoolSources pools = new PoolSources();

    ActiveSliceIndex(RowTable rows, DeviceInventory inventory) {
        this.rows = rows;
        this.inventory = inventory;
    }

    @Override
    public void add(Row row) {
        switch (row) {
            case ObservedRow.ObjectRow object
            when object.content().orElse(null) instanceof ResourceSlice slice ->
                add(slice, object.stamp().source());
            case Row.SettingsRow changed ->
                configure(changed.settings().sources().getOrDefault(Kind.RESOURCE_SLICE, new TreeSet<>()));
            default -> {}
        }
    }

    @Override
    public void remove(Row row) {
        switch (row) {
            case ObservedRow.ObjectRow object
            when object.content().orElse(null) instanceof ResourceSlice slice ->
                remove(slice, object.stamp().source());
            case Row.SettingsRow _ -> configure(new TreeSet<>());
            default -> {}
        }
    }

    private void configure(SortedSet<String> sources) {
        pools.configure(sources);
        pools.disputed().forEach(this::republish);
    }

    private void add(ResourceSlice slice, String source) {
        Optional<String> before = pools.of(slice.poolId());
        pools.add(slice.poolId(), source);
        Optional<String> now = pools.of(slice.poolId());
        if (before.isPresent() && !before.equals(now)) {
            republish(slice.poolId());
        } else if (now.equals(Optional.of(source))) {
            inventory.put(slice);
        }
    }

    private void remove(ResourceSlice slice, String source) {
        Optional<String> before = pools.of(slice.poolId());
        pools.remove(slice.poolId(), source);
        Optional<String> now = pools.of(slice.poolId());
        if (now.isPresent() && !before.equals(now)) {
            republish(slice.poolId());
        } else if (before.equals(Optional.of(source))) {
            inventory.remove(slice);
        }
    }

    /**
     * Replaces the slices of a pool by those of its active source. A source change is rare, so a full scan is
     * affordable.
     */
    private void republish(PoolId pool) {
        List.copyOf(inventory
                        .slices()
                        .pools()
                        .getOrDefault(pool, new TreeMap<>())
                        .values())
                .forEach(inventory::remove);
        Optional<String> source = pools.of(pool);
        for (ObservedRow.ObjectRow object : rows.all(ObservedRow.ObjectRow.allOf(Kind.RESOURCE_SLICE))) {
            if (object.content().orElse(null) instanceof ResourceSlice slice
                    && slice.poolId().equals(pool)
                    && source.equals(Optional.of(object.stamp().source()))) {
                inventory.put(slice);
            }
        }
    }
}
