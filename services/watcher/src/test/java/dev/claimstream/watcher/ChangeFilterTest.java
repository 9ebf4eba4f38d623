package dev.claimstream.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Detection of unchanged objects by a filter that remembers two objects. */
final class ChangeFilterTest {
    private final ChangeFilter told = new ChangeFilter(2);

    private static Node node(String name, boolean ready) {
        return new Node(ObjectMeta.of("", name, "uid of " + name), List.of(), false, ready);
    }

    @Test
    void whatIsEqualToWhatWasToldLastIsNoNews() {
        assertThat(told.isChanged("a", node("a", true))).isTrue();
        assertThat(told.isChanged("a", node("a", true))).isFalse();
        assertThat(told.isChanged("a", node("a", false))).isTrue();
        assertThat(told.isChanged("a", node("a", true))).isTrue();
        assertThat(told.isChanged("b", node("a", true))).isTrue();
    }

    @Test
    void whatIsForgottenIsNews() {
        told.remember("a", node("a", true));
        told.remember("b", node("b", true));
        told.forget("a");
        assertThat(told.isChanged("a", node("a", true))).isTrue();
        assertThat(told.isChanged("b", node("b", true))).isFalse();
        told.clear();
        assertThat(told.isChanged("b", node("b", true))).isTrue();
    }

    @Test
    void thoseThatChangedLastAreRemembered() {
        told.remember("a", node("a", true));
        told.remember("b", node("b", true));
        assertThat(told.isChanged("a", node("a", true))).isFalse();
        told.remember("c", node("c", true));
        assertThat(told.isChanged("a", node("a", true))).isFalse();
        assertThat(told.isChanged("b", node("b", true))).isTrue();
    }

    @Test
    void otherKindsAreAlwaysNews() {
        var namespace = new Namespace(ObjectMeta.of("", "a", "uid"));
        assertThat(told.isChanged("a", namespace)).isTrue();
        assertThat(told.isChanged("a", namespace)).isTrue();
    }
}
