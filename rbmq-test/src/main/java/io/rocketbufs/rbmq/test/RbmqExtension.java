package io.rocketbufs.rbmq.test;

import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The extension behind {@link RbmqTest}. It starts the broker of a class, passes the broker and its clients to
 * parameters, checks the clients after each test, and closes everything.
 *
 * <p><b>Thread-safety:</b> any thread, because tests may run in parallel. <b>Ownership:</b> the broker and the clients
 * are in JUnit's store for the class or test to which they belong. They are closed after that class or test, or at the
 * latest when JUnit closes the store.
 */
final class RbmqExtension implements ParameterResolver, AfterEachCallback, AfterAllCallback {
    private static final Namespace NAMESPACE = Namespace.create(RbmqExtension.class);
    private static final Set<Class<?>> TYPES = Set.of(RbmqClient.class, ClientOptions.class, RbmqBroker.class);
    /** Maximum length of a client's name in characters, each of which has at most 3 bytes. */
    private static final int MAX_NAME_LENGTH = 80;

    /**
     * A key in the store. The context's id is needed because the store also returns the values of enclosing contexts.
     */
    private record Key(Class<?> type, String contextId) {
        static Key of(Class<?> type, ExtensionContext context) {
            return new Key(type, context.getUniqueId());
        }
    }

    /** Assigns the clients of a constructor to the test, unless all tests share an instance of the class. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return TYPES.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ClassBroker broker = broker(context);
        Class<?> type = parameter.getParameter().getType();
        if (type == RbmqBroker.class) {
            return broker.broker();
        }
        TestClients clients = context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(
                        Key.of(TestClients.class, context), key -> broker.clients(name(context)), TestClients.class);
        return type == RbmqClient.class ? clients.connect() : clients.options();
    }

    /** Returns the broker of the nearest annotated class, which is the test's class or encloses it. */
    private static ClassBroker broker(ExtensionContext context) {
        ExtensionContext annotated = context;
        while (annotation(annotated).isEmpty()) {
            annotated = annotated.getParent().orElseThrow();
        }
        Class<?> testClass = annotated.getRequiredTestClass();
        RbmqTest annotation = annotation(annotated).orElseThrow();
        return annotated
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(
                        Key.of(ClassBroker.class, annotated),
                        key -> new ClassBroker(testClass, annotation),
                        ClassBroker.class);
    }

    /** Returns the annotation if the context is that of a class; otherwise empty. */
    private static Optional<RbmqTest> annotation(ExtensionContext context) {
        return context.getTestMethod().isPresent()
                ? Optional.empty()
                : AnnotationSupport.findAnnotation(context.getTestClass(), RbmqTest.class);
    }

    private static String name(ExtensionContext context) {
        String name = context.getRequiredTestClass().getSimpleName()
                + context.getTestMethod().map(method -> "." + method.getName()).orElse("");
        return name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
    }

    /** Closes the test's clients, then checks these clients and the ones that the test shares with other tests. */
    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        Failures failures = new Failures();
        close(context, TestClients.class, TestClients::check, failures);
        for (Optional<ExtensionContext> outer = context.getParent();
                outer.isPresent();
                outer = outer.get().getParent()) {
            TestClients shared =
                    outer.get().getStore(NAMESPACE).get(Key.of(TestClients.class, outer.get()), TestClients.class);
            if (shared != null) {
                failures.run(shared::check);
            }
        }
        failures.throwAny();
    }

    /** Closes the clients shared by the tests of a class, and then the broker if it belongs to this class. */
    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        Failures failures = new Failures();
        close(context, TestClients.class, TestClients::check, failures);
        close(context, ClassBroker.class, broker -> {}, failures);
        failures.throwAny();
    }

    private static <T extends AutoCloseable> void close(
            ExtensionContext context, Class<T> type, Consumer<T> afterwards, Failures failures) {
        T value = context.getStore(NAMESPACE).remove(Key.of(type, context), type);
        if (value != null) {
            failures.run(value::close);
            failures.run(() -> afterwards.accept(value));
        }
    }
}
