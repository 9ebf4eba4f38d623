package dev.claimstream.simulator;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.claimstream.kafka.security.PrincipalTable;
import org.junit.jupiter.api.Test;

/** Tests that no code of the simulator's process can reach a producer of Kafka, and that its principal may not write. */
class NoProducerTest {
    private static final JavaClasses OWN = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.claimstream");

    private static ArchRule rule(String packages) {
        return noClasses()
                .that()
                .resideInAPackage(packages)
                .should()
                .transitivelyDependOnClassesThat(describe(
                        "write to Kafka",
                        type -> type.getPackageName().startsWith("org.apache.kafka.clients.producer")
                                || type.getPackageName().startsWith("org.apache.kafka.streams")))
                .because("a simulation has no effect: the process reads the log and must not be able to write to it");
    }

    @Test
    void reachesNoProducer() {
        rule("dev.claimstream.simulator..").check(OWN);
    }

    @Test
    void mayReadInputsAndRowsAndWriteNothing() {
        assertThat(PrincipalTable.shipped().get("simulator").permissions())
                .extracting(Object::toString)
                .allMatch(each -> each.contains("READ"))
                .noneMatch(each -> each.contains("WRITE") || each.contains("CREATE"))
                .hasSize(2);
    }

    @Test
    void findsProducerElsewhere() {
        assertThat(rule("dev.claimstream.kafka..").evaluate(OWN).hasViolation()).isTrue();
    }
}
