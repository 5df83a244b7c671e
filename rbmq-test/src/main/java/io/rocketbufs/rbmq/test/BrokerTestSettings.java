package io.rocketbufs.rbmq.test;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientOptions;

/** The settings in a test class's annotation. They override the configuration of the tests. */
record BrokerTestSettings(Config changes) {
    /**
     * Reads the settings of a test class.
     *
     * @throws com.typesafe.config.ConfigException on a syntax error; the message names the class and the line
     */
    static BrokerTestSettings of(Class<?> testClass, RbmqTest annotation) {
        return new BrokerTestSettings(ConfigFactory.parseString(
                String.join("\n", annotation.value()),
                ConfigParseOptions.defaults().setOriginDescription("@RbmqTest of " + testClass.getName())));
    }

    RbmqBroker startBroker() {
        return RbmqBroker.start(changes);
    }

    /** Returns the options for clients of the broker. */
    ClientOptions client(RbmqBroker broker) {
        return ClientOptions.from(changes.withFallback(ConfigFactory.load()).resolve())
                .withBrokers(broker.address());
    }
}
