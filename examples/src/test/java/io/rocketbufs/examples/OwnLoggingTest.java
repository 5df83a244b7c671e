package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.RbmqClient;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A test of an application that has its own logback.xml: this module, which uses the client library. */
@Tag("once")
final class OwnLoggingTest {
    @Test
    void shouldKeepTheLoggingOfTheApplicationWhenItUsesTheClientAndTheBroker() {
        try (RbmqBroker broker = RbmqBroker.start();
                RbmqClient client = RbmqClient.connect(broker.address())) {
            client.publish("t", "1");
        }
        assertThat(ServiceLoader.load(Configurator.class))
                .noneMatch(configurator -> configurator.getClass().getName().startsWith("io.rocketbufs"));
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        OutputStreamAppender<ILoggingEvent> appender = (ConsoleAppender<ILoggingEvent>)
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("stderr");
        assertThat(((PatternLayoutEncoder) appender.getEncoder()).getPattern()).isEqualTo("%d{HH:mm:ss} %level %msg%n");
    }
}
