package io.rocketbufs.reference;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the page of configuration keys matches the reference.conf of each module, in build order. */
final class ConfigurationReferenceTest {
    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");

    @Test
    void shouldListTheKeysOfEveryModule() throws IOException {
        StringBuilder page = new StringBuilder();
        for (Path file : references()) {
            ReferenceConf conf = ReferenceConf.read(file);
            assertThat(conf.keys())
                    .as("keys of %s", file)
                    .containsExactlyInAnyOrderElementsOf(ConfigFactory.parseFile(file.toFile()).entrySet().stream()
                            .map(entry -> entry.getKey())
                            .toList());
            page.append("## " + file.getName(1) + "\n\n" + conf.sections());
        }
        ReferencePage.read("configuration.md").check("configuration", page.toString());
    }

    private static List<Path> references() throws IOException {
        List<Path> all = new ArrayList<>();
        Matcher modules = MODULE.matcher(Files.readString(Path.of("../pom.xml")));
        while (modules.find()) {
            Path file = Path.of("..", modules.group(1), "src/main/resources/reference.conf");
            if (Files.exists(file)) {
                all.add(file);
            }
        }
        return all;
    }
}
