package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the client library brings into the class path of a program. The enforcer checks the artifacts. */
@Tag("once")
final class ClientLibraryTest {
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
                "io.micrometer.core.instrument.MeterRegistry",
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

    private static List<URL> resources(String name) throws IOException {
        return Collections.list(ClientLibraryTest.class.getClassLoader().getResources(name));
    }
}
