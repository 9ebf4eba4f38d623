package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that the map behaves like an unmodifiable {@link TreeMap} with the same entries. */
class ImmutableArrayMapTest {
    private static final long SEED = 7_301;
    private static final int MAPS = 2_000;
    private static final int KEYS = 9;

    @Test
    void behavesLikeUnmodifiableTreeMap() {
        var random = new Random(SEED);
        for (int number = 0; number < MAPS; number++) {
            SortedMap<String, Integer> tree = tree(random);
            SortedMap<String, Integer> map = ImmutableArrayMap.copyOf(new LinkedHashMap<>(tree));
            String reason = "seed %d, map %d: %s".formatted(SEED, number, tree);
            assertThat(map).as(reason).isEqualTo(tree).hasSameHashCodeAs(tree).hasToString(tree.toString());
            assertThat(tree).as(reason).isEqualTo(map);
            assertThat(map).as(reason).isEqualTo(ImmutableArrayMap.copyOf(tree)).hasSize(tree.size());
            assertThat(List.copyOf(map.entrySet())).as(reason).isEqualTo(List.copyOf(tree.entrySet()));
            assertThat(List.copyOf(map.keySet())).as(reason).isEqualTo(List.copyOf(tree.keySet()));
            assertThat(map.keySet().stream().sorted().toList())
                    .as(reason)
                    .isEqualTo(map.keySet().stream().toList());
            assertThat(List.copyOf(map.values())).as(reason).isEqualTo(List.copyOf(tree.values()));
            List<Map.Entry<String, Integer>> entries = new ArrayList<>();
            map.forEach((key, value) -> entries.add(Map.entry(key, value)));
            assertThat(entries).as(reason).isEqualTo(List.copyOf(tree.entrySet()));
            for (int key = -1; key <= KEYS; key++) {
                assertThat(map.get(name(key))).as(reason).isEqualTo(tree.get(name(key)));
                assertThat(map.containsKey(name(key))).as(reason).isEqualTo(tree.containsKey(name(key)));
            }
            String from = name(random.nextInt(KEYS));
            String to = name(random.nextInt(KEYS) + KEYS);
            assertThat(map.subMap(from, to)).as(reason).isEqualTo(tree.subMap(from, to));
            assertThat(map.headMap(from)).as(reason).isEqualTo(tree.headMap(from));
            assertThat(map.tailMap(from)).as(reason).isEqualTo(tree.tailMap(from));
            if (!tree.isEmpty()) {
                assertThat(map.firstKey()).as(reason).isEqualTo(tree.firstKey());
                assertThat(map.lastKey()).as(reason).isEqualTo(tree.lastKey());
            }
        }
    }

    private static SortedMap<String, Integer> tree(Random random) {
        var tree = new TreeMap<String, Integer>();
        for (int count = random.nextInt(KEYS); count > 0; count--) {
            tree.put(name(random.nextInt(KEYS)), random.nextInt(3));
        }
        return tree;
    }

    private static String name(int key) {
        return "k%02d".formatted(key);
    }

    @Test
    void isUnequalWhenAnyEntryDiffers() {
        SortedMap<String, Integer> map = ImmutableArrayMap.copyOf(Map.of("a", 1, "b", 2));
        assertThat(map)
                .isNotEqualTo(ImmutableArrayMap.copyOf(Map.of("a", 1, "b", 3)))
                .isNotEqualTo(ImmutableArrayMap.copyOf(Map.of("a", 1, "c", 2)))
                .isNotEqualTo(ImmutableArrayMap.copyOf(Map.of("a", 1)))
                .isNotEqualTo(new TreeMap<>(Map.of("a", 1, "b", 3)));
        assertThat(map.get(new Object())).isNull();
    }

    @Test
    void sortsByNaturalOrderDespiteCustomComparator() {
        var backwards = new TreeMap<String, Integer>(Comparator.reverseOrder());
        backwards.putAll(Map.of("a", 1, "b", 2));
        assertThat(ImmutableArrayMap.copyOf(backwards).firstKey()).isEqualTo("a");
    }

    @Test
    void copiesImmutableMapToItself() {
        SortedMap<String, Integer> map = ImmutableArrayMap.copyOf(Map.of("a", 1));
        assertThat(ImmutableArrayMap.copyOf(map)).isSameAs(map);
    }

    @Test
    void rejectsModification() {
        var tree = new TreeMap<>(Map.of("a", 1));
        SortedMap<String, Integer> map = ImmutableArrayMap.copyOf(tree);
        tree.put("b", 2);
        assertThat(map).hasSize(1);
        assertThatThrownBy(() -> map.put("b", 2)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.remove("a")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.values().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.pollFirstEntry()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.entrySet().iterator().next().setValue(3))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(map).isEqualTo(Map.of("a", 1));
    }

    @Test
    void throwsForMissingKeysAndInvalidRanges() {
        SortedMap<String, Integer> map = ImmutableArrayMap.copyOf(Map.<String, Integer>of());
        assertThatThrownBy(() -> map.firstKey()).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> map.lastKey()).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> map.subMap("b", "a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> map.entrySet().iterator().next()).isInstanceOf(NoSuchElementException.class);
    }
}
