package dev.claimstream.manifests.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the span and line of every node match the source text. */
class SourceTextTest {
    private static List<String> scalars(String text) {
        SourceText source = SourceText.of("f.yaml", text);
        List<String> found = new ArrayList<>();
        source.documents().forEach(document -> collect(source, document.root(), found));
        return found;
    }

    private static void collect(SourceText source, SourceNode node, List<String> found) {
        switch (node) {
            case SourceNode.SourceScalar scalar ->
                found.add(scalar.text().strip() + " <- " + source.text(scalar.span()) + " @"
                        + source.location(scalar.span().start()).line());
            case SourceNode.SourceSequence sequence -> sequence.items().forEach(item -> collect(source, item, found));
            case SourceNode.SourceMapping mapping ->
                mapping.entries().forEach(entry -> {
                    collect(source, entry.key(), found);
                    collect(source, entry.value(), found);
                });
        }
    }

    @Test
    void locatesScalarsOfEveryStyle() {
        assertThat(scalars("""
                # before
                a: plain   # behind
                b: 'it''s'
                c: "x\\ty"
                ---
                d: >
                  folded
                  text

                # not its own
                e: [1, {f: ~}]
                """))
                .containsExactly(
                        "a <- a @2",
                        "plain <- plain @2",
                        "b <- b @3",
                        "it's <- 'it''s' @3",
                        "c <- c @4",
                        "x\ty <- \"x\\ty\" @4",
                        "d <- d @6",
                        "folded text <- >\n  folded\n  text @6",
                        "e <- e @11",
                        "1 <- 1 @11",
                        "f <- f @11",
                        "~ <- ~ @11");
    }

    @Test
    void locatesScalarsAfterSurrogatePairsAndByteOrderMark() {
        assertThat(scalars("a: \"\uD83D\uDE80\"\nb: x\n")).contains("\uD83D\uDE80 <- \"\uD83D\uDE80\" @1", "x <- x @2");
        assertThat(scalars("\uFEFFa: x\n---\nb: y\n"))
                .containsExactly("a <- a @1", "x <- x @1", "b <- b @3", "y <- y @3");
    }

    @Test
    void endsBlockSpanAfterItsLastValue() {
        SourceText source = SourceText.of("f.yaml", "a:\n  b: 1\n  c:\n  - d\n\n# comment\ne: {f: 2}  # behind\n");
        SourceNode root = source.documents().getFirst().root();
        assertThat(source.text(root.get("a").orElseThrow().span())).isEqualTo("b: 1\n  c:\n  - d");
        assertThat(source.text(root.get("e").orElseThrow().span())).isEqualTo("{f: 2}");
        assertThat(source.text(root.span())).endsWith("{f: 2}");
    }

    @Test
    void readsJsonIndentedWithTabs() {
        assertThat(scalars("{\n\t\"a\": [true]\n}")).containsExactly("a <- \"a\" @2", "true <- true @2");
    }

    @Test
    void readsOtherDocumentsDespiteUnreadableOne() {
        assertThat(scalars("a: [\n---\nb: 1\n---\n*x\n---\nc: 2\n"))
                .containsExactly("b <- b @3", "1 <- 1 @3", "c <- c @7", "2 <- 2 @7");
    }

    @Test
    void resolvesAliasesAndMergeKeys() {
        SourceText source = SourceText.of("f.yaml", "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n");
        SourceDocument document = source.documents().getFirst();
        assertThat(document.hasAliases()).isTrue();
        assertThat(document.root().at("c", "b")).isPresent();
        assertThat(document.root().at("d", "b")).isPresent();
        assertThat(document.root().at("d", "e")).isPresent();
    }

    @Test
    void skipsDocumentWithExcessiveAliasExpansion() {
        StringBuilder text = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i < 40; i++) {
            text.append("a%d: &a%d [*a%d, *a%d]%n".formatted(i, i, i - 1, i - 1));
        }
        assertThat(SourceText.of("f.yaml", text.toString()).documents()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "---", "# nothing\n", "~", "\n\n---\n\n---\n"})
    void findsNoDocumentInEmptyText(String text) {
        assertThat(SourceText.of("f.yaml", text).documents()).isEmpty();
    }
}
