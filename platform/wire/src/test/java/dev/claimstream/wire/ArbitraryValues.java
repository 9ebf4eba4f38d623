package dev.claimstream.wire;

import dev.claimstream.allocation.cell.AllocationTiming;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.ObservedRow;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.SchedulingRow;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.WorkBudget;
import dev.claimstream.allocation.cell.WorkBudgetRow;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.Quantity;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Random values of any record or sealed type. The shape of the type determines the value, so that new fields and
 * variants are tested without a new test.
 */
final class ArbitraryValues {
    private static final String[] WORDS = {
        "a", "gpu", "node-1", "memory", "x.example.com", "größe", "true", "-1", " ", "\n", "null"
    };
    private static final String[] QUANTITIES = {
        "0", "1", "40Gi", "1500m", "3G", "1e3", "-7", "0.5Ki", "12345678901234567890", "1n"
    };
    private static final String[] LABEL_SELECTORS = {
        "",
        "pool=a",
        "pool!=a",
        "pool in (a,b),!old",
        "example.com/pool notin (a,b)",
        "cards>4",
        "cards<1",
        "pool,team="
    };
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long SECONDS_MAX = 4_000_000_000L;

    private final SplittableRandom random;
    private final Set<Class<?>> createdTypes = new LinkedHashSet<>();
    private final Map<Class<?>, Supplier<?>> special = new LinkedHashMap<>();

    ArbitraryValues(long seed) {
        random = new SplittableRandom(seed);
        special.put(String.class, this::text);
        special.put(Instant.class, this::instant);
        special.put(Duration.class, () -> Duration.ofMillis(random.nextLong(SECONDS_MAX)));
        special.put(Quantity.class, () -> Quantity.parse(pick(QUANTITIES)));
        special.put(Long.class, this::number);
        special.put(long.class, this::number);
        special.put(Integer.class, () -> (int) number());
        special.put(int.class, () -> (int) number());
        special.put(Boolean.class, random::nextBoolean);
        special.put(boolean.class, random::nextBoolean);
        // rules that the shape of the type does not express
        special.put(ObjectKey.class, () -> new ObjectKey(text(), word()));
        special.put(
                PodClaim.ClaimSource.GeneratedClaim.class,
                () -> new PodClaim.ClaimSource.GeneratedClaim(word(), word()));
        special.put(FeatureGates.class, this::features);
        special.put(LabelSelector.class, () -> LabelSelector.parse(pick(LABEL_SELECTORS)));
        special.put(WorkBudget.class, () -> new WorkBudget(positive(), positive(), positive(), positive()));
        special.put(Stamp.class, () -> new Stamp(word(), number(), number()));
        special.put(Observation.ObjectUpserted.class, this::objectUpserted);
        special.put(Observation.ObjectDeleted.class, this::objectDeleted);
        special.put(ObservedRow.ObjectRow.class, this::objectRow);
        special.put(SchedulingRow.ItemRow.class, this::itemRow);
        special.put(WorkBudgetRow.WorkRow.class, this::workRow);
        special.put(RouterRow.ItemLocationRow.class, this::routerItemRow);
    }

    /** Returns a random value. */
    <T> T of(Class<T> type) {
        return type.cast(any(type));
    }

    /** Returns the record types that were created so far. */
    Set<Class<?>> createdTypes() {
        return createdTypes;
    }

    /** Returns every record type that a value of this type can contain. */
    static Set<Class<?>> records(Class<?> root) {
        var found = new LinkedHashSet<Class<?>>();
        walk(root, found);
        return found;
    }

    private static void walk(Type type, Set<Class<?>> found) {
        switch (type) {
            case ParameterizedType generic ->
                Arrays.stream(generic.getActualTypeArguments()).forEach(each -> walk(each, found));
            case Class<?> sealed when sealed.isSealed() -> variants(sealed).forEach(each -> walk(each, found));
            case Class<?> plain
            when plain.isRecord() -> {
                if (found.add(plain)) {
                    components(plain).forEach(each -> walk(each.getGenericType(), found));
                }
            }
            default -> {
                // texts, numbers and enums contain no record
            }
        }
    }

    private static Stream<Class<?>> variants(Class<?> sealed) {
        return Arrays.stream(sealed.getPermittedSubclasses());
    }

    private static Stream<RecordComponent> components(Class<?> type) {
        return Arrays.stream(type.getRecordComponents());
    }

    private Object any(Type type) {
        return switch (type) {
            case ParameterizedType generic ->
                container((Class<?>) generic.getRawType(), generic.getActualTypeArguments());
            case Class<?> plain -> plain(plain);
            default -> throw new IllegalStateException("a value of " + type + " cannot be made: say how");
        };
    }

    private Object plain(Class<?> type) {
        if (type.isRecord()) {
            createdTypes.add(type);
        }
        Supplier<?> own = special.get(type);
        if (own != null) {
            return own.get();
        }
        if (type.isEnum()) {
            return pick(type.getEnumConstants());
        }
        if (type.isSealed()) {
            return plain(pick(type.getPermittedSubclasses()));
        }
        return record(type);
    }

    private Object record(Class<?> type) {
        Class<?>[] types = components(type).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Object[] values =
                components(type).map(each -> any(each.getGenericType())).toArray();
        try {
            var constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException("a value of " + type + " cannot be made: say how", e);
        }
    }

    private Object container(Class<?> type, Type[] of) {
        if (type == Optional.class) {
            return random.nextBoolean() ? Optional.of(any(of[0])) : Optional.empty();
        }
        int size = random.nextInt(3);
        if (type == List.class) {
            return Stream.generate(() -> any(of[0])).limit(size).toList();
        }
        if (type == SortedSet.class || type == Set.class) {
            return new TreeSet<>(Stream.generate(() -> key(of[0])).limit(size).toList());
        }
        if (type == SortedMap.class) {
            var map = new TreeMap<Object, Object>();
            Stream.generate(() -> key(of[0])).limit(size).forEach(key -> map.put(key, any(of[1])));
            return map;
        }
        throw new IllegalStateException("a " + type + " cannot be made: say how");
    }

    /** Names in sets and maps are never empty. */
    private Object key(Type type) {
        return type == String.class ? word() : any(type);
    }

    private FeatureGates features() {
        FeatureGates features = FeatureGates.all();
        for (Feature each : Feature.values()) {
            features = features.with(each, random.nextBoolean());
        }
        return features;
    }

    private Observation.ObjectUpserted objectUpserted() {
        ClusterObject object = of(ClusterObject.class);
        return new Observation.ObjectUpserted(stamp(object.kind()), object);
    }

    private Observation.ObjectDeleted objectDeleted() {
        Kind kind = of(Kind.class);
        return new Observation.ObjectDeleted(stamp(kind), kind, of(ObjectKey.class), text());
    }

    /** Records of {@code inventory.v1} have no allocation timing, because only claims are allocated. */
    private Stamp stamp(Kind kind) {
        AllocationTiming timing =
                PublicRecord.isInventory(kind) ? AllocationTiming.IMMEDIATE : of(AllocationTiming.class);
        return new Stamp(word(), number(), number(), timing);
    }

    private ObservedRow.ObjectRow objectRow() {
        ClusterObject object = of(ClusterObject.class);
        return new ObservedRow.ObjectRow(
                object.kind(),
                of(ObjectKey.class),
                text(),
                stamp(object.kind()),
                random.nextInt(4) == 0 ? Optional.empty() : Optional.of(object));
    }

    private SchedulingRow.ItemRow itemRow() {
        Rank rank = of(Rank.class);
        return SchedulingRow.ItemRow.builder(rank.item(), text(), rank)
                .reason(random.nextBoolean() ? Optional.of(of(Reason.class)) : Optional.empty())
                .message(text())
                .allocationsBefore(number())
                .earmark(random.nextBoolean() ? Optional.of(word()) : Optional.empty())
                .thorough(random.nextBoolean())
                .textHash(number())
                .build();
    }

    private long positive() {
        return random.nextLong(1, SECONDS_MAX);
    }

    private WorkBudgetRow.WorkRow workRow() {
        Rank rank = of(Rank.class);
        return new WorkBudgetRow.WorkRow(rank.item(), rank, number(), number(), random.nextInt(99));
    }

    private RouterRow.ItemLocationRow routerItemRow() {
        Rank rank = of(Rank.class);
        return RouterRow.ItemLocationRow.builder(rank.item(), text(), rank)
                .location(of(RouterRow.ItemLocation.class))
                .claims(List.of(of(ObjectKey.class)))
                .reason(random.nextBoolean() ? Optional.of(of(Reason.class)) : Optional.empty())
                .message(text())
                .reasons(new TreeMap<>(Map.of(random.nextInt(9), of(Explanation.ExplanationDetail.Pending.class))))
                .ended(new TreeSet<>(List.of(word())))
                .build();
    }

    private String text() {
        return random.nextInt(4) == 0 ? "" : word();
    }

    private String word() {
        return pick(WORDS) + (random.nextBoolean() ? pick(WORDS) : "");
    }

    private Instant instant() {
        long micros = random.nextLong(-SECONDS_MAX * MICROS_PER_SECOND, SECONDS_MAX * MICROS_PER_SECOND);
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, MICROS_PER_SECOND), Math.floorMod(micros, MICROS_PER_SECOND) * 1000);
    }

    private long number() {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextLong();
            case 2 -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
            default -> random.nextInt(100);
        };
    }

    private <T> T pick(T[] from) {
        return from[random.nextInt(from.length)];
    }
}
