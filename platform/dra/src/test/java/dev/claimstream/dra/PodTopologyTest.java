package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.NodeSelector.Requirement;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests host port collisions, namespaces of affinity terms, and label selectors. */
class PodTopologyTest {
    private static final Optional<LabelSelector> EVERY_POD = Optional.of(new LabelSelector(List.of()));

    private static SortedMap<String, String> labels(String key, String value) {
        var labels = new TreeMap<String, String>();
        labels.put(key, value);
        return labels;
    }

    private static LabelSelector selector(String key, String operator, String... values) {
        return new LabelSelector(List.of(new Requirement(key, operator, List.of(values))));
    }

    private static PodAffinityTerm term(
            Optional<LabelSelector> pods, List<String> namespaces, Optional<LabelSelector> namespaceSelector) {
        return new PodAffinityTerm("zone", pods, new TreeSet<>(namespaces), namespaceSelector);
    }

    private static boolean selectsPodIn(String namespace, PodAffinityTerm term) {
        return term.matches(
                "mine",
                ObjectMeta.of(namespace, "p", "uid-p"),
                name -> labels("team", name.equals("red") ? "red" : ""));
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0 TCP 80, 0.0.0.0 TCP 80, true",
        "0.0.0.0 TCP 80, 10.0.0.1 TCP 80, true",
        "10.0.0.1 TCP 80, 0.0.0.0 TCP 80, true",
        "10.0.0.1 TCP 80, 10.0.0.1 TCP 80, true",
        "10.0.0.1 TCP 80, 10.0.0.2 TCP 80, false",
        "0.0.0.0 TCP 80, 0.0.0.0 UDP 80, false",
        "0.0.0.0 TCP 80, 0.0.0.0 TCP 81, false",
    })
    void detectsHostPortCollision(String one, String other, boolean collide) {
        assertThat(port(one).collidesWith(port(other))).isEqualTo(collide);
    }

    private static HostPort port(String text) {
        String[] words = text.split(" ", -1);
        return new HostPort(words[0], words[1], Integer.parseInt(words[2]));
    }

    @Test
    void selectsOwnNamespaceByDefault() {
        PodAffinityTerm term = term(EVERY_POD, List.of(), Optional.empty());
        assertThat(selectsPodIn("mine", term)).isTrue();
        assertThat(selectsPodIn("other", term)).isFalse();
    }

    @Test
    void selectsNamespacesByNameAndByLabel() {
        PodAffinityTerm term = term(EVERY_POD, List.of("other"), Optional.of(selector("team", "In", "red")));
        assertThat(selectsPodIn("other", term)).isTrue();
        assertThat(selectsPodIn("red", term)).isTrue();
        assertThat(selectsPodIn("mine", term)).isFalse();
        assertThat(selectsPodIn("mine", term(EVERY_POD, List.of(), Optional.of(new LabelSelector(List.of())))))
                .isTrue();
    }

    @Test
    void selectsNoPodsWithoutLabelSelector() {
        assertThat(selectsPodIn("mine", term(Optional.empty(), List.of(), Optional.empty())))
                .isFalse();
    }

    @Test
    void matchesOnlyWhenAllRequirementsHold() {
        SortedMap<String, String> labels = labels("app", "x");
        assertThat(selector("app", "In", "x", "y").matches(labels)).isTrue();
        assertThat(selector("app", "NotIn", "x").matches(labels)).isFalse();
        assertThat(selector("tier", "NotIn", "x").matches(labels)).isTrue();
        assertThat(selector("app", "Exists").matches(labels)).isTrue();
        assertThat(selector("tier", "DoesNotExist").matches(labels)).isTrue();
        assertThat(new LabelSelector(List.of(
                                new Requirement("app", "Exists", List.of()),
                                new Requirement("tier", "Exists", List.of())))
                        .matches(labels))
                .isFalse();
    }
}
