package io.rocketbufs.rbmq.test;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientOptions;

/** The settings in the annotation of a test class, which override the configuration of the tests. */
record BrokerTestSettings(Config changes) {
    /**
     * Reads the settings.
     *
     * @throws com.typesafe.config.ConfigException naming the class and the line of a syntax error
     */
    static BrokerTestSettings of(Class<?> testClass, RbmqTest annotation) {
        return new BrokerTestSettings(ConfigFactory.parseString(
                String.join("\n", annotation.value()),
                ConfigParseOptions.defaults().setOriginDescription("@RbmqTest of " + testClass.getName())));
    }

    RbmqBroker startBroker() {
        return RbmqBroker.start(changes);
    }

    /** Returns the options of clients of the broker. */
    ClientOptions client(RbmqBroker broker) {
        return ClientOptions.from(changes.withFallback(ConfigFactory.load()).resolve())
                .withBrokers(broker.address());
    }
}
