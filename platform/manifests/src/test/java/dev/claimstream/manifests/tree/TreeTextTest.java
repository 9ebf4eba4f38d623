package dev.claimstream.manifests.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that random trees are read back equal, and the format of written YAML and JSON. */
class TreeTextTest {
    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void readsBackWrittenTree(long seed) throws Exception {
        Tree.Mapping tree = new RandomTrees(new Random(seed)).mapping(5);
        assertThat(read(tree.yaml())).as("seed %d: %s", seed, tree.yaml()).isEqualTo(tree);
        assertThat(read(tree.json())).as("seed %d", seed).isEqualTo(tree);
        assertThat(read(tree.indentedJson())).as("seed %d", seed).isEqualTo(tree);
        assertThat(TreeReader.json(tree.json())).as("seed %d", seed).isEqualTo(tree);
    }

    private static Tree read(String text) throws IOException, SyntaxException {
        List<DocumentNode> found = new ArrayList<>();
        DocumentReader.read(
                new StringReader(text), 1, ObjectLimits.DEFAULT, new TextPool(), new DocumentReader.ObjectReceiver() {
                    @Override
                    public boolean isList(DocumentNode.DocumentMapping begin) {
                        return false;
                    }

                    @Override
                    public void item(DocumentNode.DocumentMapping begin, int index, DocumentNode item) {
                        found.add(item);
                    }

                    @Override
                    public void listEnd(DocumentNode.DocumentMapping list, int items) {
                        found.add(list);
                    }

                    @Override
                    public void document(DocumentNode root) {
                        found.add(root);
                    }
                });
        assertThat(found).hasSize(1);
        return tree(found.getFirst());
    }

    private static Tree tree(DocumentNode node) {
        return switch (node) {
            case DocumentNode.DocumentScalar scalar ->
                switch (scalar.type()) {
                    case TEXT -> Tree.of(scalar.text());
                    case BOOL -> Tree.of(ScalarType.isTrue(scalar.text()));
                    case INTEGER, FLOAT -> new Tree.Numeral(scalar.text());
                    case NULL -> new Tree.Null();
                };
            case DocumentNode.DocumentSequence sequence ->
                new Tree.Sequence(
                        sequence.items().stream().map(TreeTextTest::tree).toList());
            case DocumentNode.DocumentMapping mapping ->
                Tree.mapping(fields -> mapping.entries().forEach(e -> fields.put(e.name(), tree(e.value()))));
        };
    }

    @Test
    void writesYamlAsKubectlPrintsIt() {
        Tree tree = Tree.mapping(fields -> fields.put(
                        "spec",
                        Tree.mapping(spec -> spec.put(
                                "list",
                                new Tree.Sequence(List.of(
                                        Tree.mapping(
                                                item -> item.put("b", "true").put("a", 1)),
                                        new Tree.Sequence(List.of(Tree.of("x"), Tree.of("y"))),
                                        new Tree.Sequence(List.of()))))))
                .put("kind", "A b: c")
                .put("apiVersion", "v1")
                .put("text", "one\ntwo\n")
                .put("none", Tree.mapping(_ -> {})));
        assertThat(tree.yaml()).isEqualTo("""
                apiVersion: v1
                kind: "A b: c"
                none: {}
                spec:
                  list:
                  - a: 1
                    b: "true"
                  - - x
                    - "y"
                  - []
                text: |
                  one
                  two
                """);
        assertThat(tree.indentedJson())
                .startsWith("{\n    \"apiVersion\": \"v1\",\n")
                .endsWith("\n}\n");
        assertThat(tree.json()).startsWith("{\"apiVersion\":\"v1\",\"kind\":\"A b: c\",\"none\":{},");
    }

    @Test
    void rejectsTextThatIsNotOneJsonValue() {
        assertThatIllegalArgumentException().isThrownBy(() -> TreeReader.json(""));
        assertThatIllegalArgumentException().isThrownBy(() -> TreeReader.json("{} {}"));
        assertThatIllegalArgumentException().isThrownBy(() -> TreeReader.json("{a: b}"));
    }
}
