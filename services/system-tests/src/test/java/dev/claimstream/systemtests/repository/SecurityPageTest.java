package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.security.AclCommands;
import dev.claimstream.kafka.security.KafkaPrincipal;
import dev.claimstream.kafka.security.PrincipalTable;
import dev.claimstream.systemtests.security.PermissionProofs;
import dev.claimstream.systemtests.security.PermissionProofs.PermissionRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Tests that {@code deploy/SECURITY.md} has the permissions of every principal. With {@code
 * -Dsecurity.page.write=true} it writes the table.
 */
class SecurityPageTest {
    private static final Path PAGE = Path.of("..", "..", "deploy", "SECURITY.md");
    private static final String BEGIN = "<!-- generated: permissions -->\n";
    private static final String END = "<!-- end -->\n";

    @Test
    void pageHasPermissionsOfTable() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        if (Boolean.getBoolean("security.page.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
            return;
        }
        assertThat(page.substring(begin, end))
                .as("write it: ./claimstream check -pl services/system-tests -Dtest=SecurityPageTest"
                        + " -Dsecurity.page.write=true")
                .isEqualTo(table());
    }

    private static String table() {
        return "| principal | operation | resource | proof |\n|---|---|---|---|\n"
                + PrincipalTable.shipped().all().stream()
                        .map(SecurityPageTest::lines)
                        .collect(Collectors.joining());
    }

    /** One line for the permissions with the same operation, type of resource and proof. */
    private static String lines(KafkaPrincipal principal) {
        Map<List<String>, List<String>> names = new LinkedHashMap<>();
        for (PermissionRow row : PermissionProofs.rows(principal)) {
            String resource = row.permission().resourceText();
            int space = resource.indexOf(' ');
            names.computeIfAbsent(
                            List.of(
                                    AclCommands.operationText(row.operation()),
                                    resource.substring(0, space),
                                    row.isShownByService() ? "service" : "request"),
                            _ -> new ArrayList<>())
                    .add("`%s`".formatted(resource.substring(space + 1)));
        }
        return names.entrySet().stream()
                .map(each -> "| %s | %s | %s %s | %s |\n"
                        .formatted(
                                principal.name(),
                                each.getKey().get(0),
                                each.getKey().get(1),
                                String.join(", ", each.getValue()),
                                each.getKey().get(2)))
                .collect(Collectors.joining());
    }
}
