package dev.claimstream.allocation;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that decisions depend only on the ordered input: no clock, randomness, I/O or unordered collections. */
class PurityTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.claimstream.allocation");

    private static final ArchRule DEPENDS_ON_VALUES = classes()
            .that()
            .resideInAPackage("dev.claimstream.allocation..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.claimstream.allocation..",
                    "dev.claimstream.dra",
                    "java.lang",
                    "java.lang.runtime",
                    "java.lang.invoke",
                    "java.math",
                    "java.nio.charset",
                    "java.time",
                    "java.time.temporal",
                    "java.util",
                    "java.util.function",
                    "java.util.stream",
                    "org.jspecify.annotations")
            .because(
                    "a decision can be replayed only if it depends on values; what needs a file, a thread, Kafka or Kubernetes"
                            + " belongs to a service, and reaches the core as an observation");

    private static final List<Pattern> NONDETERMINISTIC_CALLS = Stream.of(
                    "java\\.time\\.\\w+\\.now",
                    "java\\.time\\.Clock\\..*",
                    "java\\.lang\\.System\\.(currentTimeMillis|nanoTime|identityHashCode|getenv|getProperty)",
                    "java\\.lang\\.Math\\.random",
                    "java\\.util\\.(Random|SplittableRandom)\\..*",
                    "java\\.util\\.UUID\\.randomUUID",
                    "java\\.util\\.(HashMap|HashSet|IdentityHashMap|WeakHashMap|Hashtable)\\.(<init>|new\\w+)",
                    "java\\.util\\.(Set|Map)\\.(of|ofEntries|copyOf)",
                    "java\\.util\\.stream\\.Collectors\\.(toSet|toMap|toUnmodifiable(Set|Map)|groupingBy.*|partitioningBy)",
                    "java\\.util\\.Locale\\.getDefault",
                    "java\\.lang\\.(Thread|Process|ProcessBuilder|Runtime|ThreadLocal)\\..*",
                    ".*\\.(parallelStream|parallel)")
            .map(Pattern::compile)
            .toList();

    private static final ArchRule IS_DETERMINISTIC = noClasses()
            .should()
            .accessTargetWhere(describe("can differ between two runs", PurityTest::isNondeterministic))
            .because(
                    "two runs over one history must agree: time enters as the time of an input, order comes from lists, sorted maps"
                            + " and LinkedHashMap, and ties end in names");

    private static final ArchRule USES_WHOLE_NUMBERS = noFields()
            .should()
            .haveRawType(describe(
                    "float or double", type -> Set.of("float", "double").contains(type.getName())))
            .because("sums of whole numbers are the same in every order; sums of floating point numbers are not");

    private static final ArchRule HAS_NO_CYCLES = slices().matching("dev.claimstream.allocation.(*)..")
            .should()
            .beFreeOfCycles()
            .because("the inventory knows nothing of questions, and the solver nothing of items and decisions");

    private static boolean isNondeterministic(JavaAccess<?> access) {
        String member = access.getTarget().getOwner().getName() + "."
                + access.getTarget().getName();
        return NONDETERMINISTIC_CALLS.stream()
                .anyMatch(pattern -> pattern.matcher(member).matches());
    }

    @Test
    void dependsOnlyOnValueTypes() {
        DEPENDS_ON_VALUES.check(CORE);
    }

    @Test
    void usesNoNondeterministicCalls() {
        IS_DETERMINISTIC.check(CORE);
    }

    @Test
    void hasNoFloatingPointFields() {
        USES_WHOLE_NUMBERS.check(CORE);
    }

    @Test
    void hasNoPackageCycles() {
        HAS_NO_CYCLES.check(CORE);
    }

    // ---- violations

    @ParameterizedTest
    @ValueSource(strings = {"now", "map", "set", "collected", "chance", "name", "time"})
    void detectsNondeterministicCalls(String method) {
        JavaClasses impure = new ClassFileImporter().importClasses(ImpureCalls.class);
        assertThat(IS_DETERMINISTIC.evaluate(impure).getFailureReport().getDetails())
                .anyMatch(line -> line.contains("ImpureCalls." + method + "()"));
        assertThat(USES_WHOLE_NUMBERS.evaluate(impure).hasViolation()).isTrue();
    }

    @Test
    void detectsForbiddenDependencies() {
        JavaClasses tests = new ClassFileImporter().importClasses(PurityTest.class);
        assertThat(DEPENDS_ON_VALUES.evaluate(tests).hasViolation()).isTrue();
    }
}
