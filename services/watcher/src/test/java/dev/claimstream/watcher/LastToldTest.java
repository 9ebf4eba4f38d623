package dev.claimstream.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LastToldTest {
    private final LastTold told = new LastTold(2);

    private static Node node(String name, boolean ready) {
        return new Node(ObjectMeta.of("", name, "uid of " + name), List.of(), false, ready);
    }

    @Test
    void whatIsEqualToWhatWasToldLastIsNoNews() {
        assertThat(told.isNews("a", node("a", true))).isTrue();
        assertThat(told.isNews("a", node("a", true))).isFalse();
        assertThat(told.isNews("a", node("a", false))).isTrue();
        assertThat(told.isNews("a", node("a", true))).isTrue();
        assertThat(told.isNews("b", node("a", true))).isTrue();
    }

    @Test
    void whatIsForgottenIsNews() {
        told.remember("a", node("a", true));
        told.remember("b", node("b", true));
        told.forget("a");
        assertThat(told.isNews("a", node("a", true))).isTrue();
        assertThat(told.isNews("b", node("b", true))).isFalse();
        told.clear();
        assertThat(told.isNews("b", node("b", true))).isTrue();
    }

    @Test
    void thoseThatChangedLastAreRemembered() {
        told.remember("a", node("a", true));
        told.remember("b", node("b", true));
        assertThat(told.isNews("a", node("a", true))).isFalse();
        told.remember("c", node("c", true));
        assertThat(told.isNews("a", node("a", true))).isFalse();
        assertThat(told.isNews("b", node("b", true))).isTrue();
    }

    @Test
    void otherKindsAreAlwaysNews() {
        var namespace = new Namespace(ObjectMeta.of("", "a", "uid"));
        assertThat(told.isNews("a", namespace)).isTrue();
        assertThat(told.isNews("a", namespace)).isTrue();
    }
}
