package dev.claimstream.dra;

import java.util.List;

/** Sets the fields of a slice by name. Not thread-safe. */
public final class ResourceSliceBuilder {
    private ObjectMeta meta;
    private final String driver;
    private String pool;
    private long generation;
    private long resourceSliceCount = 1;
    private NodeScope scope = new NodeScope.UnknownScope();
    private List<Device> devices = List.of();
    private List<CounterSet> sharedCounters = List.of();
    private List<String> skipNodeOperations = List.of();

    ResourceSliceBuilder(ObjectMeta meta, String driver, String pool) {
        this.meta = meta;
        this.driver = driver;
        this.pool = pool;
    }

    public ResourceSliceBuilder meta(ObjectMeta value) {
        meta = value;
        return this;
    }

    public ResourceSliceBuilder pool(String value) {
        pool = value;
        return this;
    }

    public ResourceSliceBuilder generation(long value) {
        generation = value;
        return this;
    }

    public ResourceSliceBuilder resourceSliceCount(long value) {
        resourceSliceCount = value;
        return this;
    }

    public ResourceSliceBuilder scope(NodeScope value) {
        scope = value;
        return this;
    }

    public ResourceSliceBuilder devices(List<Device> value) {
        devices = value;
        return this;
    }

    public ResourceSliceBuilder sharedCounters(List<CounterSet> value) {
        sharedCounters = value;
        return this;
    }

    public ResourceSliceBuilder skipNodeOperations(List<String> value) {
        skipNodeOperations = value;
        return this;
    }

    /** Creates the slice. */
    public ResourceSlice build() {
        return new ResourceSlice(
                meta, driver, pool, generation, resourceSliceCount, scope, devices, sharedCounters, skipNodeOperations);
    }
}
