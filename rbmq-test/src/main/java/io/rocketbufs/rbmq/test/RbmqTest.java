package io.rocketbufs.rbmq.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An annotation that provides the tests of a class with a broker and clients. The broker listens on a free port of the
 * loopback address. It is started before the first test that needs it, serves all tests of the class and of its nested
 * classes, and is closed after them.
 *
 * <p>Constructors, tests and life-cycle methods may have parameters of these types:
 *
 * <ul>
 *   <li>{@link io.rocketbufs.rbmq.client.RbmqClient}: a client of the broker. Each parameter is another client, which
 *       connects when it is first used. It is closed after the test or, for a parameter that all tests share, such as
 *       that of a {@code @BeforeAll} method, after the class.
 *   <li>{@link io.rocketbufs.rbmq.client.ClientOptions}: options that lead to the broker, for clients with other
 *       settings. The test closes these clients.
 *   <li>{@link io.rocketbufs.rbmq.broker.RbmqBroker}: the broker. After a test has closed it, no other test can use it.
 * </ul>
 *
 * <p>A test fails if a handler of one of these clients throws an exception, if one of these clients loses messages, or
 * if one of its filters matches more topics than the broker allows. If the client is shared by several tests, the test
 * during which this happens fails.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(RbmqExtension.class)
public @interface RbmqTest {
    /**
     * Settings of the broker and the clients, in the syntax of the configuration file. For example:
     * {@code "rbmq.broker.capacity = 64 KiB"}.
     */
    String[] value() default {};

    /** Whether tests may lose messages because a subscriber is slow. */
    boolean allowGaps() default false;

    /**
     * Whether handlers may throw exceptions, publishers may send malformed data, and filters may match more topics than
     * the broker allows.
     */
    boolean allowErrors() default false;
}
