/**
 * Notes and questions for measuring recall: for each language twenty things people tell an assistant, each with a
 * question in other forms of the same words and one in other words. Written before anything was tuned; every second row
 * is held out, and only looked at for the figures.
 */
export type Row = readonly [note: string, inflected: string, paraphrased: string];

export type Part = { readonly language: string; readonly names: readonly string[]; readonly rows: readonly Row[] };

const english: Part = {
  language: "English",
  names: ["Anna", "Brian", "Carol", "Derek", "Emma", "Frank", "Grace", "Harry", "Irene", "James"],
  rows: [
    [
      "{name} lives in a small house near the river in Leeds.",
      "In which houses does {name} live?",
      "What is {name}'s home like?",
    ],
    ["{name}'s birthday is on the third of May.", "When are the birthdays of {name}?", "On which day was {name} born?"],
    [
      "{name} is allergic to peanuts and carries an injection.",
      "Which allergies does {name} have?",
      "What must {name} not eat?",
    ],
    ["{name} runs a bakery that closes on Mondays.", "Is {name} still running bakeries?", "What is {name}'s business?"],
    ["{name} drives an old green Volvo to work.", "What is {name} driving?", "Which car does {name} own?"],
    [
      "{name} plays the cello in an amateur orchestra.",
      "Who is playing in orchestras with {name}?",
      "Which musical instrument does {name} practise?",
    ],
    [
      "{name} prefers meetings before ten in the morning.",
      "When does {name} prefer to meet?",
      "What is a good time to schedule something with {name}?",
    ],
    [
      "{name} has two daughters who study medicine.",
      "What is the daughter of {name} studying?",
      "Does {name} have any children?",
    ],
    ["{name} is learning Portuguese with an app.", "What did {name} learn?", "Which language is {name} picking up?"],
    [
      "{name} keeps the spare key under the blue flowerpot.",
      "Where were the spare keys of {name} kept?",
      "How can I get into {name}'s flat?",
    ],
    [
      "{name} wants the quarterly report as a spreadsheet.",
      "Which reports does {name} want quarterly?",
      "In what format should I send figures to {name}?",
    ],
    [
      "{name} had surgery on the left knee last autumn.",
      "Which knees of {name} had surgery?",
      "Which operation did {name} undergo?",
    ],
    [
      "{name} collects stamps from countries that no longer exist.",
      "What is {name} collecting?",
      "What is {name}'s hobby?",
    ],
    [
      "{name} pays the rent by standing order on the first.",
      "When was {name} paying rents?",
      "When is money for the apartment due from {name}?",
    ],
    [
      "{name}'s cat is called Whiskers and fears thunder.",
      "Which cats of {name} fear thunder?",
      "What is the name of {name}'s pet?",
    ],
    [
      "{name} will travel to Japan with friends in October.",
      "Where is {name} travelling with a friend?",
      "What is {name}'s next holiday destination?",
    ],
    [
      "{name} is writing a novel about lighthouse keepers.",
      "Which novels did {name} write?",
      "What book is {name} working on?",
    ],
    [
      "{name} cannot stand coriander in any dish.",
      "In which dishes can {name} not stand coriander?",
      "Which herb does {name} hate?",
    ],
    [
      "{name} repairs bicycles for the neighbours on weekends.",
      "Whose bicycle did {name} repair?",
      "What does {name} fix for the people next door?",
    ],
    ["{name} needs reading glasses for small print.", "Which glasses did {name} need?", "How is {name}'s eyesight?"],
  ],
};

const german: Part = {
  language: "German",
  names: ["Lukas", "Marie", "Jonas", "Sabine", "Dieter", "Ute", "Florian", "Heike", "Stefan", "Birgit"],
  rows: [
    [
      "{name} wohnt in einem alten Haus am Stadtrand von Kassel.",
      "In welchen Häusern wohnte {name}?",
      "Wie lebt {name}?",
    ],
    [
      "{name} hat am elften November Geburtstag.",
      "Wann sind die Geburtstage von {name}?",
      "Wann wurde {name} geboren?",
    ],
    [
      "{name} verträgt keine Nüsse und trägt ein Notfallset bei sich.",
      "Welche Nuss verträgt {name} nicht?",
      "Wogegen ist {name} allergisch?",
    ],
    [
      "{name} arbeitet als Lehrerin an einer Grundschule.",
      "An welchen Grundschulen arbeiten {name} und andere Lehrer?",
      "Was ist {name} von Beruf?",
    ],
    ["{name} fährt mit dem Fahrrad ins Büro.", "Welche Fahrräder fuhr {name}?", "Wie kommt {name} zur Arbeit?"],
    [
      "{name} spielt Geige in einem Orchester.",
      "In welchen Orchestern spielten {name} und die Geigen?",
      "Welches Instrument beherrscht {name}?",
    ],
    [
      "{name} möchte Termine nur am Nachmittag.",
      "Wann ist ein Termin für {name} möglich, an Nachmittagen?",
      "Zu welcher Uhrzeit passt es {name}?",
    ],
    [
      "{name} hat drei Kinder und einen Hund namens Bello.",
      "Welches Kind und welche Hunde hat {name}?",
      "Wie groß ist die Familie von {name}?",
    ],
    [
      "{name} lernt seit dem Frühjahr Italienisch.",
      "Was haben {name} und andere gelernt, italienische Wörter?",
      "Welche Sprache übt {name}?",
    ],
    [
      "{name} legt den Ersatzschlüssel in den Briefkasten.",
      "Wo liegen die Ersatzschlüssel von {name}?",
      "Wie komme ich in die Wohnung von {name}?",
    ],
    [
      "{name} bekommt Rechnungen immer als PDF per Mail.",
      "Wie hat {name} die Rechnung bekommen?",
      "In welchem Format schicke ich {name} die Abrechnung?",
    ],
    [
      "{name} wurde im Sommer an der Schulter operiert.",
      "Welche Schultern hat man {name} operiert?",
      "Welchen Eingriff hatte {name}?",
    ],
    [
      "{name} sammelt alte Landkarten aus Osteuropa.",
      "Welche Landkarte hat {name} gesammelt?",
      "Was ist das Hobby von {name}?",
    ],
    [
      "{name} überweist die Miete am ersten jedes Monats.",
      "Wann wurden die Mieten von {name} überwiesen?",
      "Wann zahlt {name} für die Wohnung?",
    ],
    [
      "{name} hat eine Katze, die Angst vor Gewitter hat.",
      "Welche Katzen von {name} haben bei Gewittern Angst?",
      "Welches Haustier hält {name}?",
    ],
    [
      "{name} reist im Oktober mit Freunden nach Norwegen.",
      "Wohin reisten {name} und ein Freund?",
      "Was ist das nächste Urlaubsziel von {name}?",
    ],
    [
      "{name} schreibt ein Buch über Leuchttürme.",
      "Welche Bücher über einen Leuchtturm schrieb {name}?",
      "Woran arbeitet {name} als Autor?",
    ],
    [
      "{name} mag keinen Koriander im Essen.",
      "Mögen {name} und andere Koriander?",
      "Welches Gewürz verabscheut {name}?",
    ],
    [
      "{name} repariert am Wochenende Uhren für Nachbarn.",
      "Welche Uhr reparierte {name} für den Nachbarn?",
      "Was bringt {name} für andere in Ordnung?",
    ],
    ["{name} braucht zum Lesen eine Brille.", "Welche Brillen brauchte {name}?", "Wie gut sieht {name}?"],
  ],
};

const french: Part = {
  language: "French",
  names: ["Camille", "Hugo", "Léa", "Mathieu", "Chloé", "Antoine", "Juliette", "Pascal", "Manon", "Gérard"],
  rows: [
    [
      "{name} habite une petite maison près du canal à Nantes.",
      "Dans quelles maisons habitait {name} ?",
      "Où loge {name} ?",
    ],
    [
      "L'anniversaire de {name} est le douze mars.",
      "Quand sont les anniversaires de {name} ?",
      "Quel jour est né {name} ?",
    ],
    [
      "{name} est allergique aux arachides.",
      "Quelles allergies à l'arachide a {name} ?",
      "Que ne doit pas manger {name} ?",
    ],
    [
      "{name} travaille dans une librairie du centre.",
      "Dans quelles librairies travaillait {name} ?",
      "Quel est le métier de {name} ?",
    ],
    [
      "{name} conduit une vieille voiture rouge.",
      "Quelles voitures rouges conduisait {name} ?",
      "Comment se déplace {name} ?",
    ],
    [
      "{name} joue du violon dans un orchestre amateur.",
      "Dans quels orchestres jouaient {name} et les violons ?",
      "Quel instrument pratique {name} ?",
    ],
    [
      "{name} préfère les réunions avant dix heures.",
      "Quelle réunion a préférée {name} ?",
      "À quel moment de la journée voir {name} ?",
    ],
    [
      "{name} a deux filles qui étudient la médecine.",
      "Quelle fille de {name} étudiait ?",
      "{name} a-t-il des enfants ?",
    ],
    [
      "{name} apprend le portugais depuis le printemps.",
      "Qu'ont appris {name} et les Portugais ?",
      "Quelle langue étudie {name} ?",
    ],
    [
      "{name} cache la clé de secours sous le pot bleu.",
      "Où sont cachées les clés de {name} ?",
      "Comment entrer chez {name} ?",
    ],
    [
      "{name} veut les factures en version papier.",
      "Quelle facture voulait {name} ?",
      "Sous quelle forme envoyer les comptes à {name} ?",
    ],
    [
      "{name} a été opéré du genou gauche cet été.",
      "Quels genoux a-t-on opérés à {name} ?",
      "Quelle intervention chirurgicale a subie {name} ?",
    ],
    [
      "{name} collectionne les timbres anciens.",
      "Quel timbre ancien a collectionné {name} ?",
      "Quel est le passe-temps de {name} ?",
    ],
    [
      "{name} paie le loyer le premier du mois.",
      "Quand {name} payait-il les loyers ?",
      "Quand {name} règle-t-il l'appartement ?",
    ],
    [
      "Le chat de {name} a peur de l'orage.",
      "Quels chats de {name} ont peur des orages ?",
      "Quel animal vit avec {name} ?",
    ],
    [
      "{name} voyagera au Japon avec des amis en octobre.",
      "Où voyagent {name} et un ami ?",
      "Quelle est la prochaine destination de vacances de {name} ?",
    ],
    [
      "{name} écrit un roman sur les phares bretons.",
      "Quels romans écrivait {name} sur un phare ?",
      "Sur quel livre travaille {name} ?",
    ],
    [
      "{name} déteste la coriandre dans les plats.",
      "Dans quel plat {name} détestait-il la coriandre ?",
      "Quelle herbe n'aime pas {name} ?",
    ],
    [
      "{name} répare des vélos pour ses voisins.",
      "Quel vélo réparait {name} pour un voisin ?",
      "Que fait {name} pour les gens d'à côté ?",
    ],
    ["{name} porte des lunettes pour lire.", "Quelle lunette portait {name} ?", "Comment est la vue de {name} ?"],
  ],
};

const spanish: Part = {
  language: "Spanish",
  names: ["Lucía", "Javier", "Carmen", "Andrés", "Pilar", "Sergio", "Marta", "Ramón", "Elena", "Óscar"],
  rows: [
    ["{name} vive en una casa pequeña cerca del río.", "¿En qué casas vivía {name}?", "¿Dónde tiene {name} su hogar?"],
    ["El cumpleaños de {name} es el cuatro de junio.", "¿Cuándo cumple años {name}?", "¿Qué día nació {name}?"],
    ["{name} es alérgica a los cacahuetes.", "¿Qué alergias al cacahuete tiene {name}?", "¿Qué no debe comer {name}?"],
    ["{name} trabaja en una librería del centro.", "¿En qué librerías trabajaba {name}?", "¿A qué se dedica {name}?"],
    ["{name} conduce un coche viejo y verde.", "¿Qué coches conducía {name}?", "¿Cómo se mueve {name} por la ciudad?"],
    [
      "{name} toca el violín en una orquesta.",
      "¿En qué orquestas tocaban {name} y los violines?",
      "¿Qué instrumento practica {name}?",
    ],
    [
      "{name} prefiere las reuniones por la tarde.",
      "¿Qué reunión prefería {name}?",
      "¿A qué hora le viene bien a {name}?",
    ],
    [
      "{name} tiene dos hijas que estudian medicina.",
      "¿Qué hija de {name} estudiaba?",
      "¿Cómo es la familia de {name}?",
    ],
    [
      "{name} aprende portugués con una aplicación.",
      "¿Qué aprendieron {name} y los portugueses?",
      "¿Qué idioma estudia {name}?",
    ],
    [
      "{name} guarda la llave de repuesto bajo la maceta.",
      "¿Dónde guardaba las llaves {name}?",
      "¿Cómo entro en el piso de {name}?",
    ],
    [
      "{name} quiere los informes en una hoja de cálculo.",
      "¿Qué informe quería {name} en hojas?",
      "¿En qué formato mando las cifras a {name}?",
    ],
    [
      "Operaron a {name} de la rodilla izquierda en otoño.",
      "¿De qué rodillas operan a {name}?",
      "¿Qué cirugía tuvo {name}?",
    ],
    ["{name} colecciona sellos antiguos.", "¿Qué sello antiguo coleccionaba {name}?", "¿Cuál es la afición de {name}?"],
    ["{name} paga el alquiler el día uno.", "¿Cuándo pagaba los alquileres {name}?", "¿Cuándo abona {name} el piso?"],
    [
      "El gato de {name} tiene miedo de los truenos.",
      "¿Qué gatos de {name} temen un trueno?",
      "¿Qué mascota tiene {name}?",
    ],
    [
      "{name} viajará a Japón con amigos en octubre.",
      "¿Adónde viajaron {name} y un amigo?",
      "¿Cuál es el próximo destino de vacaciones de {name}?",
    ],
    [
      "{name} escribe una novela sobre faros.",
      "¿Qué novelas escribía {name} sobre un faro?",
      "¿En qué libro trabaja {name}?",
    ],
    [
      "{name} odia el cilantro en la comida.",
      "¿En qué comidas odiaba {name} el cilantro?",
      "¿Qué hierba no soporta {name}?",
    ],
    [
      "{name} repara bicicletas para los vecinos.",
      "¿Qué bicicleta reparó {name} a un vecino?",
      "¿Qué arregla {name} a la gente de al lado?",
    ],
    ["{name} necesita gafas para leer.", "¿Qué gafas necesitaba {name} leyendo?", "¿Cómo anda {name} de la vista?"],
  ],
};

const russian: Part = {
  language: "Russian",
  names: ["Игорь", "Олег", "Вера", "Павел", "Нина", "Семён", "Тамара", "Глеб", "Раиса", "Фёдор"],
  rows: [
    ["{name} живёт в старом доме у реки.", "В каких домах жил {name}?", "Где обитает {name}?"],
    [
      "{name} празднует день рождения третьего мая.",
      "Какие дни рождения праздновал {name}?",
      "Когда {name} появился на свет?",
    ],
    [
      "{name} не переносит орехи и носит с собой лекарство.",
      "Какой орех не переносил {name}?",
      "На что у {name} аллергия?",
    ],
    ["{name} работает в книжном магазине.", "В каких магазинах работал {name}?", "Кто {name} по профессии?"],
    ["{name} ездит на зелёной машине.", "На каких машинах ездил {name}?", "Какой у {name} автомобиль?"],
    [
      "{name} играет на скрипке в оркестре.",
      "В каких оркестрах играли скрипки и {name}?",
      "Каким инструментом владеет {name}?",
    ],
    [
      "{name} предпочитает встречи по утрам.",
      "Какую встречу предпочёл {name} утром?",
      "В какое время удобно видеться, {name}?",
    ],
    [
      "{name} имеет двух дочерей, они учатся на врачей.",
      "На какого врача учится дочь, {name}?",
      "Есть ли дети, {name}?",
    ],
    ["{name} учит португальский язык.", "Какие языки учил {name}?", "Что изучает {name}?"],
    [
      "{name} хранит запасной ключ под синим горшком.",
      "Где хранились запасные ключи, {name}?",
      "Как попасть в квартиру, {name}?",
    ],
    [
      "{name} просит присылать отчёты таблицей.",
      "Какой отчёт просил {name} в таблицах?",
      "В каком виде отправлять цифры, {name}?",
    ],
    [
      "{name} перенёс операцию на левом колене.",
      "Какие операции перенесли колени, {name}?",
      "Какое хирургическое вмешательство было, {name}?",
    ],
    ["{name} собирает старые марки.", "Какую старую марку собирал {name}?", "Какое увлечение, {name}?"],
    ["{name} платит за аренду первого числа.", "Когда платили аренду, {name}?", "Когда {name} вносит деньги за жильё?"],
    [
      "{name} держит кошку, которая боится грозы.",
      "Какие кошки боялись гроз, {name}?",
      "Какое домашнее животное, {name}?",
    ],
    ["{name} поедет в Японию с друзьями в октябре.", "Куда поехали друг и {name}?", "Где {name} проведёт отпуск?"],
    ["{name} пишет роман о маяках.", "Какие романы писал {name} о маяке?", "Над какой книгой трудится {name}?"],
    ["{name} терпеть не может кинзу в супе.", "В каких супах кинза, {name}?", "Какую зелень не любит {name}?"],
    ["{name} чинит велосипеды соседям.", "Какой велосипед чинил {name} соседу?", "Что ремонтирует {name} другим?"],
    ["{name} нуждается в очках для чтения.", "Какие очки для чтения, {name}?", "Какое зрение, {name}?"],
  ],
};

export const parts: readonly Part[] = [english, german, french, spanish, russian];
