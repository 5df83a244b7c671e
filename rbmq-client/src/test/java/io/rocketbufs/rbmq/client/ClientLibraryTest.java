package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the dependencies that the client library adds to a program's class path. The enforcer plugin checks the
 * artifacts.
 */
@Tag("once")
final class ClientLibraryTest {
    private static final Path CLASSES = Path.of("target", "classes");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "logback.xml",
                "logback-test.xml",
                "application.conf",
                "META-INF/services/ch.qos.logback.classic.spi.Configurator",
                "META-INF/services/org.slf4j.spi.SLF4JServiceProvider"
            })
    void shouldLeaveLoggingAndConfigurationToTheProgram(String name) throws IOException {
        assertThat(resources(name)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ch.qos.logback.classic.Logger",
                "info.picocli.CommandLine",
                "picocli.CommandLine",
                "io.prometheus.metrics.model.registry.PrometheusRegistry",
                "io.netty.channel.Channel"
            })
    void shouldNotNeedTheLibrariesOfTheBrokerAndTheCommandLine(String name) {
        assertThatThrownBy(() -> Class.forName(name)).isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void shouldBringOnlyTheReferenceConfigurationsOfCoreAndOfTheClient() throws IOException {
        assertThat(resources("reference.conf")).hasSize(2);
    }

    /**
     * Loads the client's classes again without Micrometer on the class path, because the test itself needs Micrometer.
     */
    @Test
    void shouldLoadAllClassesButTheMetricsWithoutMicrometer() throws Exception {
        URL[] classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("micrometer"))
                .map(ClientLibraryTest::url)
                .toArray(URL[]::new);
        List<String> withMicrometer = new ArrayList<>();
        try (URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
                Stream<Path> files = Files.walk(CLASSES)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".class")).toList()) {
                String name = CLASSES.relativize(file)
                        .toString()
                        .replace(".class", "")
                        .replace('/', '.');
                try {
                    Class<?> loaded = Class.forName(name, true, loader);
                    assertThat(loaded.getClassLoader()).isSameAs(loader);
                    loaded.getDeclaredMethods();
                    loaded.getDeclaredFields();
                } catch (NoClassDefFoundError e) {
                    withMicrometer.add(name.replaceFirst("\\$.*", ""));
                }
            }
        }
        assertThat(withMicrometer).isNotEmpty().containsOnly(RbmqClientMetrics.class.getName());
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<URL> resources(String name) throws IOException {
        return Collections.list(ClientLibraryTest.class.getClassLoader().getResources(name));
    }
}
