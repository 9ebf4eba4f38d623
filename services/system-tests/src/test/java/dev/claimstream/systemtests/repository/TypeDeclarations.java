package dev.claimstream.systemtests.repository;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The types that the Java files of this repository declare, nested and local ones included. */
final class TypeDeclarations {
    private TypeDeclarations() {}

    /**
     * The declaration of a type.
     *
     * @param name its simple name
     * @param isResultCase whether it is a case of the sealed interface in which it is nested, or of a part of it. Such a name is read with the
     *     interface: {@code AllocationPlan.Pending}
     */
    record TypeDeclaration(String name, Path file, boolean isResultCase) {
        @Override
        public String toString() {
            return "%s in %s".formatted(name, file);
        }
    }

    /** Parses all Java files, without resolving what they refer to. */
    static List<TypeDeclaration> ofRepository() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<TypeDeclaration> declarations = new ArrayList<>();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            var sources = files.getJavaFileObjectsFromPaths(RepositoryFiles.endingWith(".java"));
            var task = (JavacTask) compiler.getTask(null, files, null, List.of(), null, sources);
            for (CompilationUnitTree unit : task.parse()) {
                new DeclarationScanner(Path.of(unit.getSourceFile().toUri()), declarations).scan(unit, null);
            }
        }
        return declarations;
    }

    private static final class DeclarationScanner extends TreePathScanner<Void, Void> {
        private final Path file;
        private final List<TypeDeclaration> declarations;

        DeclarationScanner(Path file, List<TypeDeclaration> declarations) {
            this.file = file;
            this.declarations = declarations;
        }

        @Override
        public Void visitClass(ClassTree type, Void unused) {
            String name = type.getSimpleName().toString();
            if (!name.isEmpty()) {
                declarations.add(new TypeDeclaration(name, file, isResultCase(type)));
            }
            return super.visitClass(type, null);
        }

        private boolean isResultCase(ClassTree type) {
            TreePath parent = getCurrentPath().getParentPath();
            if (!(parent.getLeaf() instanceof ClassTree outer)) {
                return false;
            }
            Set<String> results = Stream.concat(
                            Stream.of(outer),
                            outer.getMembers().stream()
                                    .filter(ClassTree.class::isInstance)
                                    .map(ClassTree.class::cast))
                    .filter(DeclarationScanner::isSealedInterface)
                    .map(each -> each.getSimpleName().toString())
                    .collect(Collectors.toSet());
            return isSealedInterface(outer)
                    && type.getImplementsClause().stream()
                            .map(each -> each.toString().replaceAll("<.*", ""))
                            .anyMatch(results::contains);
        }

        private static boolean isSealedInterface(ClassTree type) {
            return type.getKind() == Tree.Kind.INTERFACE
                    && type.getModifiers().getFlags().contains(Modifier.SEALED);
        }
    }
}
