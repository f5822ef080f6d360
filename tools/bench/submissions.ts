import type { SubmissionBody } from "../../test/builders/submission.ts";
import { seeded } from "../seeded.ts";

const WORDS =
  `the of and to in that with for was on as by at from which or an be this are had not but what all were when we
there can one their said each she do how if will up other about out many then them these so some her would make like him into
time has look two more write go see number no way could people my than first water been call who its now find long down day
did get come made may part customer delivery regional planning budget team leading design review quarter migration platform
hospital engine logistics warehouse audit safety contract supplier training revenue margin forecast stakeholder onboarding
compliance negotiated reduced improved launched maintained documented coordinated mentored supervised delivered analysed
automated reorganised introduced prepared presented evaluated scheduled inspected repaired installed calibrated`.split(
    /\s+/,
  );

const NAMES = [
  "Okafor",
  "Lindqvist",
  "Marchetti",
  "Nakamura",
  "Ferreira",
  "Kowalczyk",
  "Haddad",
  "O'Brien",
  "Sørensen",
  "Iyer",
];
const EMPLOYERS = [
  "Northwind Logistics",
  "Helios Energy",
  "St Brigid's Hospital",
  "Varga & Sons",
  "Kestrel Robotics",
  "Blue Harbour Foods",
];
const TITLES = [
  "Operations Manager",
  "Senior Analyst",
  "Project Lead",
  "Maintenance Engineer",
  "Ward Coordinator",
  "Data Steward",
];
const SKILLS = [
  "SQL",
  "Welding",
  "Contract law",
  "Kubernetes",
  "Stakeholder management",
  "Forklift licence",
  "Python",
  "Triage",
  "AutoCAD",
  "Bookkeeping",
  "Lean",
  "German",
];

/** A candidate such as partners send: 9.8 KB of JSON, half of it prose. The same one for the same seed. */
export function aRealisticSubmission(seed = 1): SubmissionBody {
  return submission(seed, {
    jobs: 4,
    prose: 700,
    schools: 2,
    skills: 10,
    documents: 3,
    versions: 2,
    assessments: 2,
  });
}

/** A candidate with a long life and everything attached: some 370 KB of JSON. */
export function aLargeSubmission(seed = 1): SubmissionBody {
  return submission(seed, {
    jobs: 40,
    prose: 3_900,
    schools: 40,
    skills: 100,
    documents: 50,
    versions: 8,
    assessments: 50,
  });
}

interface Size {
  readonly jobs: number;
  /** Characters of each job's description. */
  readonly prose: number;
  readonly schools: number;
  readonly skills: number;
  readonly documents: number;
  readonly versions: number;
  readonly assessments: number;
}

type Values = ReturnType<typeof randomValues>;

function submission(seed: number, size: Size): SubmissionBody {
  const values = randomValues(seed);
  const { pick, moment, token } = values;
  return {
    ...person(values, size),
    jobPreferences: jobPreferences(values),
    source: { sourceChannel: "referral", campaign: "autumn", submittedAt: moment(2026) },
    ...career(values, size),
    referees: [{ name: `Dr ${pick(NAMES)}`, relationship: "Former manager", email: "referee@example.org" }],
    tags: ["warm", "relocates", "night-shift"],
    documents: documents(values, size),
    links: [{ type: "linkedin", url: `https://www.linkedin.com/in/${token()}` }],
    media: [
      {
        kind: "profile_photo",
        assetKey: `media/${token()}`,
        contentType: "image/jpeg",
        width: 800,
        height: 800,
      },
    ],
    assessments: assessments(values, size),
    consents: [{ type: "data_processing", granted: true, grantedAt: moment(2025), policyVersion: "4" }],
  };
}

/** Values that are the same, in the same order, for the same seed. */
function randomValues(seed: number) {
  const random = seeded(seed);
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const many = <Value>(count: number, make: (index: number) => Value) =>
    Array.from({ length: count }, (_, index) => make(index));
  const day = (year: number) =>
    `${year}-${String(whole(1, 12)).padStart(2, "0")}-${String(whole(1, 28)).padStart(2, "0")}`;
  const moment = (year: number) =>
    `${day(year)}T${String(whole(0, 23)).padStart(2, "0")}:${String(whole(0, 59)).padStart(2, "0")}:00Z`;
  const token = () => many(24, () => Math.floor(random() * 36).toString(36)).join("");
  const prose = (characters: number) => {
    let text = "";
    while (text.length < characters) text += `${pick(WORDS)} `;
    return text.slice(0, characters).trimEnd();
  };
  return { pick, whole, many, day, moment, token, prose };
}

function person({ pick, whole, day, token, prose }: Values, size: Size) {
  const surname = pick(NAMES);
  return {
    externalId: `partner-${token()}`,
    firstName: pick(["Amara", "Jonas", "Lucía", "Kenji", "Noor"]),
    lastName: surname,
    headline: prose(90),
    summary: prose(Math.min(5_000, size.prose)),
    email: `${surname
      .normalize("NFD")
      .replace(/[^a-z]/gi, "")
      .toLowerCase()}.${whole(1, 999)}@example.com`,
    phone: `+44 20 7946 ${whole(1_000, 9_999)}`,
    dateOfBirth: day(whole(1960, 2004)),
    nationality: "GB",
    countryOfResidence: "GB",
    consentGiven: true,
    address: {
      line1: `${whole(1, 200)} ${pick(NAMES)} Street`,
      city: "Leeds",
      postalCode: `LS${whole(1, 20)} ${whole(1, 9)}AB`,
      country: "GB",
    },
  } satisfies Partial<SubmissionBody>;
}

function jobPreferences({ pick, whole }: Values): SubmissionBody["jobPreferences"] {
  return {
    desiredTitles: [pick(TITLES), pick(TITLES)],
    employmentTypes: ["full_time", "contract"],
    preferredCountries: ["GB", "IE", "NL"],
    openToRelocation: true,
    salaryExpectation: {
      currency: "GBP",
      min: whole(30, 50) * 1_000,
      max: whole(51, 90) * 1_000,
      period: "annual",
    },
  };
}

function career({ pick, whole, many, day, prose }: Values, size: Size) {
  return {
    skills: many(size.skills, (index) => ({
      name: `${pick(SKILLS)} ${index + 1}`,
      yearsExperience: whole(0, 20),
      proficiency: pick(["intermediate", "advanced"] as const),
      lastUsedYear: whole(2015, 2026),
    })),
    workHistory: many(size.jobs, () => ({
      employer: pick(EMPLOYERS),
      jobTitle: pick(TITLES),
      employmentType: "full_time" as const,
      startDate: day(whole(1990, 2015)),
      endDate: day(whole(2016, 2025)),
      location: "Leeds, England",
      description: prose(size.prose),
    })),
    education: many(size.schools, () => ({
      institution: `University of ${pick(NAMES)}`,
      qualification: pick(["BSc", "MSc", "NVQ Level 3"]),
      fieldOfStudy: prose(30),
      completionStatus: "completed" as const,
      startDate: day(whole(1980, 2000)),
      endDate: day(whole(2001, 2010)),
    })),
    languages: [
      { language: "English", proficiency: "native" },
      { language: "German", proficiency: "professional" },
    ],
    workEligibility: [{ country: "GB", status: "citizen" }],
  } satisfies Partial<SubmissionBody>;
}

function documents({ pick, whole, many, moment, token }: Values, size: Size) {
  return many(size.documents, (index) => ({
    documentType: pick(["cv", "certification", "reference_letter", "identity_document"] as const),
    label: `Document ${index + 1}`,
    currentVersion: size.versions,
    versions: many(size.versions, (version) => ({
      version: version + 1,
      url: `https://files.partner.example/candidates/${token()}/v${version + 1}.pdf`,
      fileName: `document-${index + 1}-v${version + 1}.pdf`,
      contentType: "application/pdf",
      sizeBytes: whole(20_000, 2_000_000),
      uploadedAt: moment(2025),
    })),
  }));
}

function assessments({ whole, many, moment, token, prose }: Values, size: Size) {
  return many(size.assessments, (index) => ({
    externalId: token(),
    name: `Assessment ${index + 1}`,
    status: "completed" as const,
    outcome: "pass" as const,
    score: whole(50, 100),
    maxScore: 100,
    competencies: many(4, (competency) => ({
      code: `C${competency + 1}`,
      label: prose(24),
      score: whole(40, 100),
    })),
    completedAt: moment(2025),
  }));
}
