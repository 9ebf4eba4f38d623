package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.manifests.write.ManifestWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that reader and writer of manifests know every field of the model, for each kind.
 *
 * <p>Random objects are written and read. A field that reader, writer or {@link RandomObjects} lack is never set.
 */
class ManifestFieldsTest {
    private static final int OBJECTS = 400;

    /** Fields that manifests do not have, or only for some kinds. */
    private static final Set<String> NOT_IN_MANIFESTS = Set.of(
            "ObjectMeta.namespace", // of cluster-scoped kinds
            "ObjectMeta.sequence", // of a watch
            "DeviceClass.allocator", // of the ConfigMap of managed classes
            "PodClaim.containers", // of pod groups
            "UnknownConstraint.requests", // rejected by default
            "UnknownRequest.name", // rejected by default
            // written as the requests of the pod
            "Pod.containerResources",
            "ContainerResource.container",
            "ContainerResource.resourceIndex",
            "ContainerResource.resource",
            "ContainerResource.count",
            "ContainerResource.ends");

    /** The type of each kind of object. */
    private static Class<?> type(Kind kind) {
        return new RandomObjects(0).next(kind, "a").getClass();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void readsAndWritesEveryField(Kind kind) {
        Map<String, Set<Object>> values = new TreeMap<>();
        fields(type(kind), values, new HashSet<>());
        for (int seed = 0; seed < OBJECTS; seed++) {
            ClusterObject written = new RandomObjects(seed).next(kind, "object-" + seed);
            List<ClusterObject> read = Manifests.read(
                            "f.yaml", ManifestWriter.tree(written).json())
                    .objects();
            assertThat(read).as("seed %d", seed).containsExactly(written);
            collect(read.getFirst(), values);
        }
        Set<String> lost = new TreeSet<>();
        values.forEach((field, found) -> {
            boolean isSet = found.size() > 1 || found.stream().anyMatch(ManifestFieldsTest::isSet);
            if (!isSet && !NOT_IN_MANIFESTS.contains(field)) {
                lost.add(field + " is always " + found);
            }
        });
        assertThat(lost).as("fields to add to reader, writer and RandomObjects").isEmpty();
    }

    /** Adds the fields of a record, and of every record that a value of the type can contain. */
    private static void fields(Type type, Map<String, Set<Object>> fields, Set<Class<?>> seen) {
        switch (type) {
            case ParameterizedType generic ->
                Arrays.stream(generic.getActualTypeArguments()).forEach(each -> fields(each, fields, seen));
            case Class<?> sealed
            when sealed.isSealed() ->
                Arrays.stream(sealed.getPermittedSubclasses()).forEach(each -> fields(each, fields, seen));
            case Class<?> plain
            when plain.isRecord() && seen.add(plain) -> {
                for (RecordComponent each : plain.getRecordComponents()) {
                    fields.put(name(plain, each), new HashSet<>());
                    fields(each.getGenericType(), fields, seen);
                }
            }
            default -> {
                // texts, numbers and enums have no fields
            }
        }
    }

    /** Whether a value differs from that of a missing field. */
    private static boolean isSet(Object value) {
        return switch (value) {
            case String text -> !text.isEmpty();
            case Number number -> number.longValue() != 0;
            case Optional<?> optional -> optional.isPresent();
            case Collection<?> all -> !all.isEmpty();
            case Map<?, ?> map -> !map.isEmpty();
            case Boolean _, Enum<?> _ -> false;
            default -> true;
        };
    }

    private static String name(Class<?> type, RecordComponent field) {
        return type.getSimpleName() + "." + field.getName();
    }

    private static void collect(Object value, Map<String, Set<Object>> values) {
        switch (value) {
            case Optional<?> optional -> optional.ifPresent(each -> collect(each, values));
            case Collection<?> all -> all.forEach(each -> collect(each, values));
            case Map<?, ?> map -> map.values().forEach(each -> collect(each, values));
            case Record parent -> {
                for (RecordComponent each : parent.getClass().getRecordComponents()) {
                    Object child = child(parent, each);
                    Set<Object> found = values.getOrDefault(name(parent.getClass(), each), new HashSet<>());
                    if (found.size() < 2) {
                        found.add(child);
                    }
                    collect(child, values);
                }
            }
            default -> {
                // a text, a number or a case of an enum
            }
        }
    }

    private static Object child(Record parent, RecordComponent field) {
        try {
            field.getAccessor().setAccessible(true);
            return field.getAccessor().invoke(parent);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }
}
