package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.RequestSpec;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Caches the problem, the node index and the compiled expressions of the item shapes that were used last.
 *
 * <p>A change of a class drops the shapes that use it. A change of the feature gates drops all shapes.
 */
final class ShapeCache {
    private static final int INDEXES_MAX = 2 * AllocationPlanner.CHARGED_INDEXES_MAX;
    /** Nodes of all indexes together; unfinished indexes and indexes without a row need space too. */
    private static final long NODES_MAX = 2 * AllocationPlanner.CHARGED_NODES_MAX;
    /** Shapes that keep compiled expressions before their first plan. */
    private static final int COMPILATIONS_MAX = 64;

    private final DeviceInventory inventory;
    private final EvaluationCache evaluationCache;
    private final SuspendedSearches suspensions;
    private final Map<ItemShape, ShapeEntry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<ItemShape, Compilation> compilations = new LinkedHashMap<>(16, 0.75f, true);
    private SortedMap<String, DeviceClass> classes = new TreeMap<>();
    private FeatureGates features = FeatureGates.defaults();

    ShapeCache(DeviceInventory inventory, EvaluationCache evaluationCache, SuspendedSearches suspensions) {
        this.inventory = inventory;
        this.evaluationCache = evaluationCache;
        this.suspensions = suspensions;
    }

    /** Cached state of a shape: its index, or why the shape is rejected. */
    sealed interface ShapeEntry {
        /** Digest of the shape and of all other inputs of the index except the inventory. */
        String digest();

        Compilation compilation();

        record Indexed(String digest, Compilation compilation, NodeClassIndex index, EvaluationPass evaluation)
                implements ShapeEntry {}

        record Rejected(String digest, Compilation compilation, ProblemRejection rejection) implements ShapeEntry {}
    }

    /** The effective classes by name; the map is replaced at each change. */
    SortedMap<String, DeviceClass> classes() {
        return classes;
    }

    /** Sets the effective classes, and drops cached shapes whose classes changed. */
    void setClasses(SortedMap<String, DeviceClass> changed) {
        SortedMap<String, DeviceClass> before = classes;
        classes = new TreeMap<>(changed);
        compilations.clear();
        entries.keySet()
                .removeIf(shape -> specs(shape)
                        .map(RequestSpec::deviceClassName)
                        .anyMatch(name -> !Objects.equals(before.get(name), classes.get(name))));
    }

    void setFeatures(FeatureGates changed) {
        features = changed;
        entries.clear();
        compilations.clear();
    }

    private static Stream<RequestSpec> specs(ItemShape shape) {
        return shape.specs().stream().flatMap(spec -> spec.requests().stream()).flatMap(ShapeCache::specs);
    }

    private static Stream<RequestSpec> specs(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().map(DeviceRequest.Alternative::spec);
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
    }

    // ---- entries

    /** Returns the entry of a shape, and creates it if it is missing. */
    ShapeEntry entryOf(ItemShape shape) {
        ShapeEntry before = entries.get(shape);
        if (before != null) {
            return before;
        }
        ShapeEntry created = createEntry(shape);
        long nodes = entries.values().stream().mapToLong(ShapeCache::nodes).sum()
                + inventory.views().size();
        while (entries.size() >= INDEXES_MAX || (nodes > NODES_MAX && !entries.isEmpty())) {
            Iterator<ShapeEntry> eldest = entries.values().iterator();
            nodes -= nodes(eldest.next());
            eldest.remove();
        }
        entries.put(shape, created);
        return created;
    }

    private static long nodes(ShapeEntry each) {
        return each instanceof ShapeEntry.Indexed indexed ? indexed.index().nodes() : 0;
    }

    private ShapeEntry createEntry(ItemShape shape) {
        Compilation compilation = compilation(shape);
        String digest =
                ReadKey.of("%s %s".formatted(shape, compilation.digest())).toString();
        compilations.remove(shape);
        return switch (AllocationProblem.of(shape, classes, compilation, features)) {
            case AllocationProblem.Formulation.InvalidProblem invalid ->
                new ShapeEntry.Rejected(digest, compilation, invalid.rejection());
            case AllocationProblem.Formulation.ValidProblem valid ->
                new ShapeEntry.Indexed(
                        digest,
                        compilation,
                        new NodeClassIndex(digest, valid.problem(), inventory, suspensions),
                        new EvaluationPass(valid.problem(), inventory, evaluationCache));
        };
    }

    // ---- compilations

    /** Returns the compilation of a shape. Shapes with equal expressions share it. */
    Compilation compilation(ItemShape shape) {
        ShapeEntry before = entries.get(shape);
        if (before != null) {
            return before.compilation();
        }
        Compilation cached = compilations.get(shape);
        if (cached != null) {
            return cached;
        }
        var compiled = new Compilation(expressions(shape), features.toString(), evaluationCache);
        Compilation same = Stream.concat(
                        compilations.values().stream(),
                        entries.values().stream().map(ShapeEntry::compilation))
                .filter(each -> each.digest().equals(compiled.digest()))
                .findFirst()
                .orElse(compiled);
        if (compilations.size() >= COMPILATIONS_MAX) {
            compilations.pollFirstEntry();
        }
        compilations.put(shape, same);
        return same;
    }

    private List<Compilation.Expression> expressions(ItemShape shape) {
        List<Compilation.Expression> expressions = new ArrayList<>();
        specs(shape).forEach(spec -> {
            DeviceClass deviceClass = classes.get(spec.deviceClassName());
            if (deviceClass != null) {
                deviceClass.selectors().forEach(each -> expressions.add(new Compilation.Expression(each, false)));
            }
            spec.selectors().forEach(each -> expressions.add(new Compilation.Expression(each, false)));
            spec.derivedAttributes()
                    .forEach(each -> expressions.add(new Compilation.Expression(each.expression(), true)));
        });
        return expressions;
    }
}
