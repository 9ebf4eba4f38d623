package dev.claimstream.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Detection of unchanged objects by a filter that remembers two objects. */
final class ChangeFilterTest {
    private final ChangeFilter filter = new ChangeFilter(2);

    private static Node node(String name, boolean ready) {
        return new Node(ObjectMeta.of("", name, "uid of " + name), List.of(), false, ready);
    }

    @Test
    void isUnchangedForEqualObject() {
        assertThat(filter.isChanged("a", node("a", true))).isTrue();
        assertThat(filter.isChanged("a", node("a", true))).isFalse();
        assertThat(filter.isChanged("a", node("a", false))).isTrue();
        assertThat(filter.isChanged("a", node("a", true))).isTrue();
        assertThat(filter.isChanged("b", node("a", true))).isTrue();
    }

    @Test
    void isChangedForForgottenObject() {
        filter.remember("a", node("a", true));
        filter.remember("b", node("b", true));
        filter.forget("a");
        assertThat(filter.isChanged("a", node("a", true))).isTrue();
        assertThat(filter.isChanged("b", node("b", true))).isFalse();
        filter.clear();
        assertThat(filter.isChanged("b", node("b", true))).isTrue();
    }

    @Test
    void remembersMostRecentlyChangedObjects() {
        filter.remember("a", node("a", true));
        filter.remember("b", node("b", true));
        assertThat(filter.isChanged("a", node("a", true))).isFalse();
        filter.remember("c", node("c", true));
        assertThat(filter.isChanged("a", node("a", true))).isFalse();
        assertThat(filter.isChanged("b", node("b", true))).isTrue();
    }

    @Test
    void isAlwaysChangedForOtherKinds() {
        var namespace = new Namespace(ObjectMeta.of("", "a", "uid"));
        assertThat(filter.isChanged("a", namespace)).isTrue();
        assertThat(filter.isChanged("a", namespace)).isTrue();
    }
}
